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
#include "training/image/planes.h"

namespace tacho {

// Decodes one JPEG through libjpeg-turbo: only the rows and the resolution that the sample needs.
// Corruption that libjpeg reports is an error. Rows below the crop are not decoded, but a truncated
// file is refused.
//
// One reader reads one image: libjpeg keeps tables from one image to the next, so a file without
// tables would decode differently depending on the previous file.
class JpegReader {
 public:
  JpegReader();
  ~JpegReader();
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  // The bytes must outlive the reader.
  Result<ImageSize> open(std::span<const std::uint8_t> bytes);
  // After open(). Leaves the rows that the crop covers, with at least `target` samples in the crop
  // if the file has them. For grey output only the luma is decoded.
  Result<void> decode(const Crop& crop, ImageSize target, bool grey, Planes& planes);

 private:
  struct Errors {
    jpeg_error_mgr manager;  // must be first: the part that libjpeg knows
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
