#include "training/image/pixel_moves.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace tacho {
namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

// out[x] = row[x + shift].
void move_row(const std::uint8_t* row, int width, int shift, std::uint8_t* out) {
  const int first = std::clamp(-shift, 0, width);
  const int end = std::clamp(width - shift, first, width);
  std::fill_n(out, first, std::uint8_t{0});
  if (end > first) std::copy_n(row + first + shift, end - first, out + first);
  std::fill(out + end, out + width, std::uint8_t{0});
}

// How far the pixels at `position` of a sheared axis move: the centre of a pixel is at half a pixel
// more, and the pixel that holds the moved centre is the nearest.
int shear_shift(int thousandths, int position) {
  const int twice = 1000 + thousandths * (2 * position + 1);
  return (twice - (twice < 0 ? 1999 : 0)) / 2000;
}

}  // namespace

void shear_x(const PlanarImage& image, int thousandths, std::uint8_t* out) {
  const auto width = index(image.width);
  for (int y = 0; y < image.height; ++y) {
    const int shift = shear_shift(thousandths, y);
    for (std::size_t c = 0; c < index(image.channels); ++c) {
      const std::size_t at = c * image.plane() + index(y) * width;
      move_row(image.pixels + at, image.width, shift, out + at);
    }
  }
}

void shear_y(const PlanarImage& image, int thousandths, std::uint8_t* out) {
  const auto width = index(image.width);
  std::vector<int> shifts;
  for (int x = 0; x < image.width; ++x) shifts.push_back(shear_shift(thousandths, x));
  for (std::size_t c = 0; c < index(image.channels); ++c) {
    const std::uint8_t* plane = image.pixels + c * image.plane();
    for (int y = 0; y < image.height; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        const int from = y + shifts[x];
        const bool inside = from >= 0 && from < image.height;
        *out++ = inside ? plane[index(from) * width + x] : std::uint8_t{0};
      }
    }
  }
}

void translate(const PlanarImage& image, int right, int down, std::uint8_t* out) {
  const auto width = index(image.width);
  for (std::size_t c = 0; c < index(image.channels); ++c) {
    for (int y = 0; y < image.height; ++y, out += width) {
      const int from = y - down;
      if (from < 0 || from >= image.height) {
        std::fill_n(out, width, std::uint8_t{0});
      } else {
        move_row(image.pixels + c * image.plane() + index(from) * width, image.width, -right, out);
      }
    }
  }
}

void rotate(const PlanarImage& image, double degrees, std::uint8_t* out) {
  // Fixed point, so that the result is the same on every machine: 17 bits after the point, and
  // positions in half pixels from the centre.
  constexpr int kBits = 16;
  const double angle = degrees * std::numbers::pi / 180;
  const auto cosine = std::int64_t{std::lround(std::cos(angle) * (1 << kBits))};
  const auto sine = std::int64_t{std::lround(std::sin(angle) * (1 << kBits))};
  std::vector<std::int64_t> sources(index(image.width));  // -1: outside
  for (int y = 0; y < image.height; ++y) {
    const int down = 2 * y + 1 - image.height;
    for (int x = 0; x < image.width; ++x) {
      const int right = 2 * x + 1 - image.width;
      const std::int64_t from_x =
          (cosine * right - sine * down + (std::int64_t{image.width} << kBits)) >> (kBits + 1);
      const std::int64_t from_y =
          (sine * right + cosine * down + (std::int64_t{image.height} << kBits)) >> (kBits + 1);
      const bool inside =
          from_x >= 0 && from_x < image.width && from_y >= 0 && from_y < image.height;
      sources[index(x)] = inside ? from_y * image.width + from_x : -1;
    }
    std::uint8_t* row = out + index(y) * sources.size();
    for (std::size_t c = 0; c < index(image.channels); ++c) {
      const std::uint8_t* plane = image.pixels + c * image.plane();
      for (std::size_t x = 0; x < sources.size(); ++x) {
        row[c * image.plane() + x] = sources[x] < 0 ? std::uint8_t{0} : plane[sources[x]];
      }
    }
  }
}

}  // namespace tacho
