#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "training/image/pixel_target.h"
#include "training/image/planes.h"
#include "training/image/row_loops.h"
#include "training/image/taps.h"

namespace tacho {

// Turns a decoded image into a sample: crops, resizes, flips, converts to RGB, normalises and
// stores, one output row at a time. Each plane is resized at its stored resolution, and colours are
// converted at the target's resolution: JPEG's subsampled colour planes are never upsampled. One
// resizer belongs to one thread; it keeps its buffers.
class Resizer {
 public:
  // The planes must contain at least the rows that the crop covers.
  void run(const Planes& planes, const Crop& crop, const Levels& levels, const PixelTarget& target);

 private:
  struct Axes {
    Taps across;
    Taps down;
  };
  // Horizontally resized rows of one plane, kept while output rows need them.
  struct Window {
    std::size_t mask = 0;  // row r is in slot r & mask
    std::size_t width = 0;
    int ready = 0;  // rows before this one were resized, if requested
    std::vector<float> rows;

    void open(const Taps& down, std::size_t row_width);
    const float* row(int index, const Plane& plane, const Taps& across);
  };

  void prepare(std::size_t index, const Planes& planes, const Crop& crop,
               const PixelTarget& target);
  void make_row(std::size_t index, const Plane& plane, int y);

  std::array<Axes, 4> axes_;
  std::array<std::size_t, 4> axes_of_ = {};  // planes of the same geometry share one entry
  std::array<Window, 4> windows_;
  std::array<std::vector<float>, 4> rows_;
};

}  // namespace tacho
