#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "training/data/image_file.h"
#include "training/image/test_images.h"

// Encoded images of one level, and the content of the files that are made of them.
namespace tacho {

inline Picture flat_picture(std::uint8_t level, int side, int channels = 3) {
  return {side, side, channels,
          ByteVector(static_cast<std::size_t>(side * side * channels), level)};
}

inline std::string flat_jpeg(std::uint8_t level, int side, int channels = 3) {
  const ByteVector bytes = jpeg_bytes(flat_picture(level, side, channels));
  return {bytes.begin(), bytes.end()};
}

inline std::string flat_png(std::uint8_t level, int side, int channels = 3) {
  const ByteVector bytes = png_bytes(flat_picture(level, side, channels));
  return {bytes.begin(), bytes.end()};
}

// Returns "label:level " for each image; "damaged" if its pixels or the checksum differ.
inline std::string summary_of(const std::filesystem::path& path) {
  const auto file = ImageFile::open(path);
  if (!file.ok()) return file.error().message;
  if (!file->checksum_matches()) return "damaged";
  std::string text;
  const auto size = static_cast<std::size_t>(file->header().image_bytes());
  for (std::size_t i = 0; i < file->labels().size(); ++i) {
    const auto pixels = file->pixels().subspan(i * size, size);
    const auto [least, most] = std::minmax_element(pixels.begin(), pixels.end());
    if (*least != *most) return "damaged";
    text += fmt::format("{}:{} ", file->labels()[i], *least);
  }
  return text;
}

}  // namespace tacho
