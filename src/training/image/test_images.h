#pragma once

#include <cstddef>
#include <cstdio>
//
#include <jpeglib.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "training/image/crop.h"
#include "training/image/pixel_target.h"

// Images made and read in the simplest way, as a reference for the loader.
namespace tacho {

using ByteVector = std::vector<std::uint8_t>;

// Keeps levels of 0 to 255.
inline constexpr Normalisation kLevels = {{0, 0, 0}, {1.0F / 255, 1.0F / 255, 1.0F / 255}};

struct Picture {
  int width = 0;
  int height = 0;
  int channels = 3;
  ByteVector pixels{};  // pixel by pixel

  [[nodiscard]] std::uint8_t at(int x, int y, int channel) const {
    return pixels[static_cast<std::size_t>((y * width + x) * channels + channel)];
  }
};

// A different soft pattern per channel, never close to black or white.
inline Picture soft_picture(int width, int height, int channels = 3) {
  Picture picture{width, height, channels};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        const double wave = std::sin(x * 0.05 * (c + 1) + c) + std::cos(y * 0.07 + x * 0.02 * c);
        picture.pixels.push_back(static_cast<std::uint8_t>(std::lround(128 + 40 * wave)));
      }
    }
  }
  return picture;
}

// Every pixel differs from its neighbours.
inline Picture sharp_picture(int width, int height, int channels = 3) {
  Picture picture{width, height, channels};
  std::uint32_t state = 12345;
  const auto count = static_cast<std::size_t>(width * height * channels);
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    picture.pixels.push_back(static_cast<std::uint8_t>(state >> 24U));
  }
  return picture;
}

struct JpegStyle {
  int quality = 95;
  int across = 2;  // luma samples per colour sample …
  int down = 2;
  int colour_across = 1;  // … or per this many
  int colour_down = 1;
  J_COLOR_SPACE stored = JCS_UNKNOWN;  // unknown: libjpeg's choice
  bool progressive = false;
  bool scan_for_each_coefficient = false;
  bool tables = true;
};

inline ByteVector jpeg_bytes(const Picture& picture, const JpegStyle& style = {}) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* out = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &out, &size);
  info.image_width = static_cast<JDIMENSION>(picture.width);
  info.image_height = static_cast<JDIMENSION>(picture.height);
  info.input_components = picture.channels;
  info.in_color_space = picture.channels == 1   ? JCS_GRAYSCALE
                        : picture.channels == 4 ? JCS_CMYK
                        : picture.channels == 2 ? JCS_UNKNOWN
                                                : JCS_RGB;
  jpeg_set_defaults(&info);
  if (style.stored != JCS_UNKNOWN) jpeg_set_colorspace(&info, style.stored);
  jpeg_set_quality(&info, style.quality, TRUE);
  const bool coarse_colours =
      info.jpeg_color_space == JCS_YCbCr || info.jpeg_color_space == JCS_YCCK;
  if (coarse_colours) {
    for (int i = 0; i < info.num_components; ++i) {
      const bool fine = i == 0 || i == 3;
      info.comp_info[i].h_samp_factor = fine ? style.across : style.colour_across;
      info.comp_info[i].v_samp_factor = fine ? style.down : style.colour_down;
    }
  }
  if (style.progressive) jpeg_simple_progression(&info);
  std::vector<jpeg_scan_info> scans;
  if (style.scan_for_each_coefficient) {
    scans.push_back({info.num_components, {0, 1, 2, 3}, 0, 0, 0, 0});
    for (int i = 0; i < info.num_components; ++i) {
      for (int k = 1; k < DCTSIZE2; ++k) scans.push_back({1, {i, 0, 0, 0}, k, k, 0, 0});
    }
    info.scan_info = scans.data();
    info.num_scans = static_cast<int>(scans.size());
  }
  if (!style.tables) jpeg_suppress_tables(&info, TRUE);
  jpeg_start_compress(&info, style.tables ? TRUE : FALSE);
  const auto pitch = static_cast<std::size_t>(picture.width * picture.channels);
  for (int y = 0; y < picture.height; ++y) {
    auto* row = const_cast<JSAMPROW>(picture.pixels.data() + static_cast<std::size_t>(y) * pitch);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  ByteVector bytes(out, out + size);
  std::free(out);
  return bytes;
}

// The full image as libjpeg decodes it by default.
inline Picture decoded_jpeg(const ByteVector& bytes) {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, bytes.data(), bytes.size());
  jpeg_read_header(&info, TRUE);
  if (info.num_components < 4) info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info);
  Picture picture{static_cast<int>(info.output_width), static_cast<int>(info.output_height),
                  info.output_components};
  const auto pitch = static_cast<std::size_t>(picture.width * picture.channels);
  picture.pixels.resize(pitch * static_cast<std::size_t>(picture.height));
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = picture.pixels.data() + info.output_scanline * pitch;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return picture;
}

struct PngStyle {
  int colour_type = PNG_COLOR_TYPE_RGB;
  int depth = 8;
  bool interlaced = false;
};

// `rows` holds the file's content: indices for a palette, two bytes per sample for 16 bits, packed
// bits for fewer than 8.
inline ByteVector png_bytes(int width, int height, const ByteVector& rows, const PngStyle& style,
                            const std::vector<png_color>& palette = {}) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  ByteVector bytes;
  png_set_write_fn(
      png, &bytes,
      [](png_structp writer, png_bytep data, std::size_t count) {
        auto* out = static_cast<ByteVector*>(png_get_io_ptr(writer));
        out->insert(out->end(), data, data + count);
      },
      nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height),
               style.depth, style.colour_type,
               style.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!palette.empty()) png_set_PLTE(png, info, palette.data(), static_cast<int>(palette.size()));
  png_write_info(png, info);
  std::vector<png_bytep> starts;
  const std::size_t pitch = rows.size() / static_cast<std::size_t>(height);
  for (int y = 0; y < height; ++y) {
    starts.push_back(const_cast<png_bytep>(rows.data()) + static_cast<std::size_t>(y) * pitch);
  }
  png_write_image(png, starts.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

inline ByteVector png_bytes(const Picture& picture, bool interlaced = false) {
  return png_bytes(picture.width, picture.height, picture.pixels,
                   {.colour_type = picture.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB,
                    .interlaced = interlaced});
}

// The triangle filter by its definition, evaluated for every pixel of the crop and every output
// pixel: levels 0 to 255, channel by channel.
inline std::vector<double> resized_plainly(const Picture& picture, const Crop& crop,
                                           ImageSize target) {
  struct Weighted {
    int index;
    double share;
  };
  const auto shares = [](double first, double length, int outputs, int output) {
    const double step = length / outputs;
    const double reach = std::max(1.0, step);
    const double centre = first + (output + 0.5) * step;
    const int begin = static_cast<int>(std::floor(first + 1e-6));
    const int end = static_cast<int>(std::ceil(first + length - 1e-6));
    std::vector<Weighted> found;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
      const double share = reach - std::abs(i + 0.5 - centre);
      if (share <= 0) continue;
      found.push_back({i, share});
      sum += share;
    }
    for (auto& one : found) one.share /= sum;
    return found;
  };
  std::vector<std::vector<Weighted>> columns;
  for (int x = 0; x < target.width; ++x) {
    columns.push_back(shares(crop.x, crop.width, target.width, x));
  }
  if (crop.flipped) std::reverse(columns.begin(), columns.end());
  std::vector<double> levels;
  for (int c = 0; c < picture.channels; ++c) {
    for (int y = 0; y < target.height; ++y) {
      const auto down = shares(crop.y, crop.height, target.height, y);
      for (const auto& across : columns) {
        double level = 0;
        for (const auto& row : down) {
          for (const auto& column : across) {
            level += column.share * row.share * picture.at(column.index, row.index, c);
          }
        }
        levels.push_back(level);
      }
    }
  }
  return levels;
}

}  // namespace tacho
