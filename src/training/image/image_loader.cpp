#include "training/image/image_loader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <new>

#include "training/image/file_bytes.h"
#include "training/image/jpeg_reader.h"
#include "training/image/png_reader.h"
#include "training/image/resize.h"

namespace tacho {
namespace {

// Larger buffers, needed for one image in a million, are released.
constexpr std::size_t kKeptBytes = std::size_t{32} << 20U;

constexpr std::array<std::uint8_t, 3> kJpeg = {0xFF, 0xD8, 0xFF};
constexpr std::array<std::uint8_t, 8> kPng = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

template <std::size_t N>
bool begins_with(std::span<const std::uint8_t> bytes, const std::array<std::uint8_t, N>& magic) {
  return bytes.size() >= N && std::equal(magic.begin(), magic.end(), bytes.begin());
}

Error unknown_format(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return {ErrorCode::invalid, "not an image: it is empty"};
  const auto begin = bytes.first(std::min<std::size_t>(bytes.size(), 4));
  return {ErrorCode::invalid,
          fmt::format("not a JPEG or PNG image: it begins with {:02x}", fmt::join(begin, ""))};
}

ImageSize size_of(const PixelTarget& target) { return {target.width, target.height}; }

}  // namespace

Result<ImageSize> image_size(std::span<const std::uint8_t> bytes) {
  if (begins_with(bytes, kJpeg)) {
    JpegReader reader;
    return reader.open(bytes);
  }
  if (begins_with(bytes, kPng)) {
    PngReader reader;
    return reader.open(bytes);
  }
  return unknown_format(bytes);
}

struct ImageLoader::Parts {
  Levels levels;
  std::int64_t most_pixels;
  FileBytes file;
  Planes planes;
  Resizer resizer;

  Result<Crop> decode(std::span<const std::uint8_t> bytes, const Augmentation& augmentation,
                      std::uint64_t seed, const PixelTarget& target) {
    if (begins_with(bytes, kJpeg)) {
      JpegReader reader;
      TACHO_TRY(size, reader.open(bytes));
      TACHO_CHECK(check_size(size, most_pixels));
      const Crop crop = choose_crop(augmentation, size, size_of(target), seed);
      TACHO_CHECK(reader.decode(crop, size_of(target), target.channels == 1, planes));
      return crop;
    }
    if (begins_with(bytes, kPng)) {
      PngReader reader;
      TACHO_TRY(size, reader.open(bytes));
      TACHO_CHECK(check_size(size, most_pixels));
      const Crop crop = choose_crop(augmentation, size, size_of(target), seed);
      TACHO_CHECK(reader.decode(crop, planes));
      return crop;
    }
    return unknown_format(bytes);
  }

  Result<void> load(std::span<const std::uint8_t> bytes, const Augmentation& augmentation,
                    std::uint64_t seed, const PixelTarget& target) {
    TACHO_CHECK(check(augmentation));
    TACHO_CHECK(check(target));
    try {
      TACHO_TRY(crop, decode(bytes, augmentation, seed, target));
      resizer.run(planes, crop, levels, target);
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::out_of_memory, "out of memory while decoding the image"};
    }
    return {};
  }
};

ImageLoader::ImageLoader(const Normalisation& normalisation, std::int64_t most_pixels)
    : parts_(std::make_unique<Parts>(
          Parts{.levels = Levels(normalisation), .most_pixels = most_pixels})) {}
ImageLoader::~ImageLoader() = default;
ImageLoader::ImageLoader(ImageLoader&&) noexcept = default;
ImageLoader& ImageLoader::operator=(ImageLoader&&) noexcept = default;

Result<void> ImageLoader::load(std::span<const std::uint8_t> bytes,
                               const Augmentation& augmentation, std::uint64_t seed,
                               const PixelTarget& target) {
  auto loaded = parts_->load(bytes, augmentation, seed, target);
  parts_->planes.release_memory_above(kKeptBytes);
  return loaded;
}

Result<void> ImageLoader::load(const std::filesystem::path& file, const Augmentation& augmentation,
                               std::uint64_t seed, const PixelTarget& target) {
  TACHO_TRY(bytes, parts_->file.read(file));
  auto loaded = load(bytes, augmentation, seed, target);
  parts_->file.release_memory_above(kKeptBytes);
  return loaded;
}

}  // namespace tacho
