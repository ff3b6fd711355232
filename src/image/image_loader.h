#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "base/result.h"
#include "image/crop.h"
#include "image/decoding.h"
#include "image/pixel_target.h"

namespace tacho {

// Turns an encoded image (JPEG or PNG, told apart by their first bytes) into the normalised pixels
// of one sample, written straight into a batch's memory:
//
//   ImageLoader loader(kImageNetNormalisation);                       // one for each thread
//   auto loaded = loader.load(path, Augmentation::training(), sample_seed(seed, epoch, index),
//                             {batch + i * 3 * 224 * 224, PixelType::f32, PixelLayout::planar, 3,
//                              224, 224});
//
// What is written depends on the image, the augmentation, the seed and the target alone, never on
// what was loaded before or on which thread; other kinds of processors round the last bit
// otherwise. Grey images become coloured ones and the other way round, CMYK becomes
// RGB, transparency is dropped; EXIF's orientation is ignored, as torchvision does. An image that
// cannot be read is an error without the file's name, which the caller knows; the target then
// holds anything.
//
// Not for two threads at a time. Keeps its buffers, those of very large images excepted.
class ImageLoader {
 public:
  // An image of more than `most_pixels` is refused before it is decoded.
  explicit ImageLoader(const Normalisation& normalisation, std::int64_t most_pixels = kMostPixels);
  ~ImageLoader();
  ImageLoader(ImageLoader&&) noexcept;
  ImageLoader& operator=(ImageLoader&&) noexcept;

  Result<void> load(std::span<const std::uint8_t> bytes, const Augmentation& augmentation,
                    std::uint64_t seed, const PixelTarget& target);
  Result<void> load(const std::filesystem::path& file, const Augmentation& augmentation,
                    std::uint64_t seed, const PixelTarget& target);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tacho
