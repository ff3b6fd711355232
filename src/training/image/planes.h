#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "training/image/crop.h"

namespace tacho {

struct SampleRange {
  int first = 0;
  int last = 0;  // inclusive
};

// One decoded component of an image. It may be coarser than the image (JPEG stores colour at half
// the resolution and can be decoded at a half, a quarter or an eighth) and may lack rows that were
// not requested.
struct Plane {
  int width = 0;
  int height = 0;             // of the whole image, decoded or not
  double samples_across = 1;  // per image pixel
  double samples_down = 1;
  int first_row = 0;  // first row in `samples`
  std::size_t pitch = 0;
  std::vector<std::uint8_t> samples;

  [[nodiscard]] const std::uint8_t* row(int index) const {
    return samples.data() + static_cast<std::size_t>(index - first_row) * pitch;
  }
  // Returns the samples that a crop covers, fully or partly.
  [[nodiscard]] SampleRange columns_of(const Crop& crop) const;
  [[nodiscard]] SampleRange rows_of(const Crop& crop) const;
  // Makes room for rows `first_row` to `first_row + rows - 1`. Previous content is lost; memory is
  // kept for the next image.
  void make_room(int first, int rows, std::size_t row_bytes);

  // Bytes past the last sample of a row that may be read: samples are loaded four at a time.
  static constexpr std::size_t kSlack = 4;
};

enum class ColourModel {
  grey,
  rgb,
  ycc,   // JPEG's luma and two colour differences, of full range
  cmyk,  // as Adobe writes it: 255 is no ink
  ycck,  // cmyk whose first three components were converted to ycc
};

// An image, or some of its rows. One plane per component of the colour model.
struct Planes {
  ColourModel model = ColourModel::rgb;
  int count = 0;
  std::array<Plane, 4> planes;

  void release_memory_above(std::size_t bytes);
};

}  // namespace tacho
