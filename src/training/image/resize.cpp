#include "training/image/resize.h"

#include <bit>

namespace tacho {
namespace {

bool same_geometry(const Plane& a, const Plane& b) {
  return a.width == b.width && a.height == b.height && a.samples_across == b.samples_across &&
         a.samples_down == b.samples_down;
}

}  // namespace

void Resizer::prepare(std::size_t index, const Planes& planes, const Crop& crop,
                      const PixelTarget& target) {
  const Plane& plane = planes.planes[index];
  axes_of_[index] = index;
  if (index > 0 && same_geometry(plane, planes.planes[index - 1])) {
    axes_of_[index] = axes_of_[index - 1];
  } else {
    Axes& axes = axes_[index];
    axes.across.fill(target.width, crop.x * plane.samples_across,
                     crop.width * plane.samples_across / target.width, plane.columns_of(crop),
                     crop.flipped);
    axes.down.fill(target.height, crop.y * plane.samples_down,
                   crop.height * plane.samples_down / target.height, plane.rows_of(crop), false);
  }
  const auto width = static_cast<std::size_t>(target.width);
  windows_[index].open(axes_[axes_of_[index]].down, width);
}

void Resizer::Window::open(const Taps& down, std::size_t row_width) {
  const auto slots =
      std::bit_ceil(std::size_t{Taps::kGroup} * static_cast<std::size_t>(down.groups));
  mask = slots - 1;
  width = row_width;
  ready = 0;
  if (rows.size() < slots * width) rows.resize(slots * width);
}

// Returns a row of the plane, resized horizontally. Rows must be requested in ascending order,
// except the last few, which are still cached.
const float* Resizer::Window::row(int index, const Plane& plane, const Taps& across) {
  float* slot = rows.data() + (static_cast<std::size_t>(index) & mask) * width;
  if (index >= ready) {
    sample_row(plane.row(index), across, slot);
    ready = index + 1;
  }
  return slot;
}

// Writes output row `y` of one plane to rows_[index].
void Resizer::make_row(std::size_t index, const Plane& plane, int y) {
  const auto& [across, down] = axes_[axes_of_[index]];
  const auto output = static_cast<std::size_t>(y);
  const auto stride = static_cast<std::size_t>(down.outputs);
  const float* share = down.shares.data() + output;
  int source = down.first[output];
  for (int group = 0; group < down.groups; ++group) {
    std::array<float, Taps::kGroup> shares{};
    std::array<const float*, Taps::kGroup> rows{};
    for (std::size_t k = 0; k < rows.size(); ++k, ++source, share += stride) {
      shares[k] = *share;
      // A tap with share 0 may be outside the plane: any row will do.
      rows[k] =
          *share == 0 ? windows_[index].rows.data() : windows_[index].row(source, plane, across);
    }
    blend_rows(rows, shares, windows_[index].width, group == 0 ? Blend::replace : Blend::add,
               rows_[index].data());
  }
}

void Resizer::run(const Planes& planes, const Crop& crop, const Levels& levels,
                  const PixelTarget& target) {
  const auto count = static_cast<std::size_t>(planes.count);
  const auto width = static_cast<std::size_t>(target.width);
  for (std::size_t i = 0; i < count; ++i) prepare(i, planes, crop, target);
  for (auto& row : rows_) {
    if (row.size() < width) row.resize(width);
  }
  const std::array<float*, 4> rows = {rows_[0].data(), rows_[1].data(), rows_[2].data(),
                                      rows_[3].data()};
  for (int y = 0; y < target.height; ++y) {
    for (std::size_t i = 0; i < count; ++i) make_row(i, planes.planes[i], y);
    if (target.channels == 1) {
      to_grey(planes.model, rows, width);
    } else {
      to_rgb(planes.model, rows, width);
    }
    store_row({rows[0], rows[1], rows[2]}, levels, target, y);
  }
}

}  // namespace tacho
