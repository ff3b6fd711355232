#pragma once

#include <png.h>

#include <array>
#include <csetjmp>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "training/image/planes.h"

namespace tacho {

// Decodes one PNG through libpng to 8 bits per sample: palettes are expanded, 16 bits are rounded;
// transparency is dropped, gamma and colour profiles are ignored, as in PIL. Rows below the crop
// are not decoded, but a truncated file is refused.
class PngReader {
 public:
  PngReader();
  ~PngReader();
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  // The bytes must outlive the reader.
  Result<ImageSize> open(std::span<const std::uint8_t> bytes);
  // After open(). Leaves the rows that the crop covers.
  Result<void> decode(const Crop& crop, Planes& planes);

 private:
  template <class Step>
  Result<void> guarded(Step step);
  void read_rows(SampleRange wanted, Planes& planes);

  static void leave(png_structp png, png_const_charp message);
  static void ignore(png_structp png, png_const_charp message);
  static void give(png_structp png, png_bytep out, std::size_t count);

  std::jmp_buf escape_{};
  std::array<char, 200> message_{};
  std::span<const std::uint8_t> rest_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  int passes_ = 1;                  // more than one: interlaced
  std::vector<std::uint8_t> rows_;  // one row, or all of an interlaced image
  std::vector<png_bytep> starts_;
};

}  // namespace tacho
