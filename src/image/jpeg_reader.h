#pragma once

// jpeglib.h uses FILE and size_t without including anything.
#include <cstddef>
#include <cstdio>
//
#include <jpeglib.h>

#include <array>
#include <csetjmp>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "image/planes.h"

namespace tacho {

// Decodes one JPEG through libjpeg-turbo: as few rows, and at as low a resolution, as the sample
// needs. What libjpeg calls corrupt is an error. Rows below the crop are not looked at, but a file
// that ends in the middle is refused.
//
// One reader reads one image: libjpeg keeps tables from one image to the next, so a file that
// lacks its own would come out differently depending on what was read before it.
class JpegReader {
 public:
  JpegReader();
  ~JpegReader();
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  // The bytes must outlive the reader.
  Result<ImageSize> open(std::span<const std::uint8_t> bytes);
  // After open(). Leaves the rows that the crop covers, with at least `target` samples in the crop
  // where the file has them. Of colours nothing is decoded but the luma, if grey is wanted.
  Result<void> decode(const Crop& crop, ImageSize target, bool grey, Planes& planes);

 private:
  struct Errors {
    jpeg_error_mgr manager;  // first: all of this that libjpeg knows
    std::jmp_buf escape;
    std::array<char, JMSG_LENGTH_MAX> message;
  };

  template <class Step>
  Result<void> guarded(Step step);
  Result<void> choose_components(bool grey, Planes& planes);
  void describe(Planes& planes) const;
  [[nodiscard]] SampleRange bands_of(const Crop& crop, const Planes& planes) const;
  void want(bool wanted, int components);
  void read_bands(SampleRange bands, Planes& planes);

  static void leave(j_common_ptr info);
  static void warn(j_common_ptr info, int level);
  static void limit_scans(j_common_ptr info);

  Errors errors_{};
  jpeg_progress_mgr progress_{};
  jpeg_decompress_struct info_{};
};

}  // namespace tacho
