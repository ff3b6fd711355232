#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "base/result.h"
#include "training/image/crop.h"
#include "training/image/decoding.h"
#include "training/image/pixel_target.h"

namespace tacho {

// Reads only the header of a JPEG or PNG.
Result<ImageSize> image_size(std::span<const std::uint8_t> bytes);

// Turns an encoded image (JPEG or PNG, recognised by its first bytes) into the normalised pixels of
// one sample, written directly into a batch:
//
//   ImageLoader loader(kImageNetNormalisation);                       // one per thread
//   auto loaded = loader.load(path, Augmentation::training(), sample_seed(seed, epoch, index),
//                             {batch + i * 3 * 224 * 224, PixelType::f32, PixelLayout::planar, 3,
//                              224, 224});
//
// The result depends only on the image, the augmentation, the seed and the target, never on
// previous images or the thread; other CPU types may round the last bit differently. Grey images
// become colour images and vice versa, CMYK becomes RGB, transparency is dropped; the EXIF
// orientation is ignored, as in torchvision. Errors do not contain the file name; after an error
// the content of the target is undefined.
//
// Not thread-safe. Keeps its buffers, except those of very large images.
class ImageLoader {
 public:
  // Images of more than `most_pixels` are refused before decoding.
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
