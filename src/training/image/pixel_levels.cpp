#include "training/image/pixel_levels.h"

#include <algorithm>
#include <array>

#include "base/vector_widths.h"

namespace tacho {
namespace {

using LevelTable = std::array<std::uint8_t, 256>;

// base + (level - base) * thousandths / 1000, cut to a level.
inline std::uint8_t blend(int base, int level, int thousandths) {
  const int sum = 1000 * base + thousandths * (level - base);
  return static_cast<std::uint8_t>(std::min(std::max(sum, 0) / 1000, 255));
}

// BT.601.
inline int grey_of(int red, int green, int blue) {
  return (19595 * red + 38470 * green + 7471 * blue + 32768) >> 16;
}

template <class Level>
LevelTable table_of(Level level) {
  LevelTable table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<std::uint8_t>(level(static_cast<int>(i)));
  }
  return table;
}

void map_levels(const std::uint8_t* levels, std::size_t count, const LevelTable& table,
                std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = table[levels[i]];
}

int mean_grey(const PlanarImage& image) {
  const std::size_t plane = image.plane();
  const std::uint8_t* red = image.pixels;
  const std::uint8_t* green = image.channels == 3 ? red + plane : red;
  const std::uint8_t* blue = image.channels == 3 ? green + plane : red;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < plane; ++i) sum += grey_of(red[i], green[i], blue[i]);
  const auto count = static_cast<std::int64_t>(plane);
  return static_cast<int>((2 * sum + count) / (2 * count));
}

TACHO_EVERY_VECTOR_WIDTH
void blend_colours(const std::uint8_t* __restrict pixels, std::size_t plane, int thousandths,
                   std::uint8_t* __restrict out) {
  for (std::size_t i = 0; i < plane; ++i) {
    const int red = pixels[i];
    const int green = pixels[plane + i];
    const int blue = pixels[2 * plane + i];
    const int grey = grey_of(red, green, blue);
    out[i] = blend(grey, red, thousandths);
    out[plane + i] = blend(grey, green, thousandths);
    out[2 * plane + i] = blend(grey, blue, thousandths);
  }
}

// Writes all pixels from `first` up to `end`. All of them have neighbours above and below; those
// beside a pixel at an edge are of other rows.
TACHO_EVERY_VECTOR_WIDTH
void blend_smooth(const std::uint8_t* __restrict pixels, std::size_t width, std::size_t first,
                  std::size_t end, int thousandths, std::uint8_t* __restrict out) {
  for (std::size_t i = first; i < end; ++i) {
    const std::uint8_t* above = pixels + i - width;
    const std::uint8_t* row = pixels + i;
    const std::uint8_t* below = pixels + i + width;
    const int around =
        above[-1] + above[0] + above[1] + row[-1] + row[1] + below[-1] + below[0] + below[1];
    out[i] = blend((around + 5 * row[0] + 6) / 13, row[0], thousandths);
  }
}

using Histogram = std::array<int, 256>;

Histogram histogram_of(const std::uint8_t* levels, std::size_t count) {
  Histogram histogram{};
  for (std::size_t i = 0; i < count; ++i) ++histogram[levels[i]];
  return histogram;
}

LevelTable equal_levels(const Histogram& histogram, int count) {
  const auto last = std::find_if(histogram.rbegin(), histogram.rend(), [](int n) { return n > 0; });
  const int step = (count - *last) / 255;
  int below = step / 2;
  return table_of([&](int level) {
    if (step == 0) return level;
    const int equal = std::min(below / step, 255);
    below += histogram[static_cast<std::size_t>(level)];
    return equal;
  });
}

}  // namespace

void blend_with_black(const PlanarImage& image, int thousandths, std::uint8_t* out) {
  map_levels(image.pixels, image.size(),
             table_of([=](int level) { return blend(0, level, thousandths); }), out);
}

void blend_with_grey(const PlanarImage& image, int thousandths, std::uint8_t* out) {
  if (image.channels == 3) {
    blend_colours(image.pixels, image.plane(), thousandths, out);
  } else {
    std::copy_n(image.pixels, image.size(), out);
  }
}

void blend_with_mean(const PlanarImage& image, int thousandths, std::uint8_t* out) {
  const int mean = mean_grey(image);
  map_levels(image.pixels, image.size(),
             table_of([=](int level) { return blend(mean, level, thousandths); }), out);
}

void blend_with_smooth(const PlanarImage& image, int thousandths, std::uint8_t* out) {
  std::copy_n(image.pixels, image.size(), out);
  if (image.width < 3 || image.height < 3) return;
  const auto width = static_cast<std::size_t>(image.width);
  const std::size_t plane = image.plane();
  for (std::size_t at = 0; at < image.size(); at += plane) {
    blend_smooth(image.pixels + at, width, width + 1, plane - width - 1, thousandths, out + at);
    for (std::size_t edge = width; edge < plane; edge += width) {
      out[at + edge - 1] = image.pixels[at + edge - 1];
      out[at + edge] = image.pixels[at + edge];
    }
  }
}

void posterize(const PlanarImage& image, int bits, std::uint8_t* out) {
  map_levels(image.pixels, image.size(),
             table_of([=](int level) { return level >> (8 - bits) << (8 - bits); }), out);
}

void solarize(const PlanarImage& image, int twice_threshold, std::uint8_t* out) {
  map_levels(image.pixels, image.size(),
             table_of([=](int level) { return 2 * level < twice_threshold ? level : 255 - level; }),
             out);
}

void auto_contrast(const PlanarImage& image, std::uint8_t* out) {
  const std::size_t plane = image.plane();
  for (std::size_t at = 0; at < image.size(); at += plane) {
    const auto [low, high] = std::minmax_element(image.pixels + at, image.pixels + at + plane);
    const int least = *low;
    const int range = *high - least;
    map_levels(image.pixels + at, plane, table_of([=](int level) {
                 if (range == 0) return level;
                 return std::clamp(level - least, 0, range) * 255 / range;
               }),
               out + at);
  }
}

void equalize(const PlanarImage& image, std::uint8_t* out) {
  const std::size_t plane = image.plane();
  for (std::size_t at = 0; at < image.size(); at += plane) {
    map_levels(image.pixels + at, plane,
               equal_levels(histogram_of(image.pixels + at, plane), static_cast<int>(plane)),
               out + at);
  }
}

}  // namespace tacho
