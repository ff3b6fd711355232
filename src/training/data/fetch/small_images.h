#pragma once

#include <filesystem>

#include "base/result.h"
#include "training/data/catalog.h"
#include "training/data/fetch/verify.h"
#include "training/data/fetch/watch.h"

namespace tacho {

// Creates home/data/NAME with train.images and eval.images of CIFAR, from a published archive or
// its files, or from images in train/CLASS and test/CLASS, in a folder or an archive. The counts
// must match those of `info`, if it has any. A failed attempt leaves nothing behind.
Result<std::filesystem::path> prepare_small_images(const DatasetInfo& info,
                                                   const std::filesystem::path& from,
                                                   const std::filesystem::path& home,
                                                   const Say& say, const Watch& watch);

// Says what `from` may be.
Error no_images_in(const DatasetInfo& info, const std::filesystem::path& from);

}  // namespace tacho
