#pragma once

#include <filesystem>

#include "base/result.h"
#include "training/data/catalog.h"
#include "training/data/fetch/verify.h"
#include "training/data/fetch/watch.h"

namespace tacho {

// Creates home/data/NAME with train.images and eval.images from TinyImageNet's .zip, its unpacked
// folder, or a folder that contains either; also from images in train/CLASS and val/CLASS, in a
// folder or an archive. The counts must match those of `info`, if it has any. A failed attempt
// leaves nothing behind.
Result<std::filesystem::path> prepare_tiny_imagenet(const DatasetInfo& info,
                                                    const std::filesystem::path& from,
                                                    const std::filesystem::path& home,
                                                    const Say& say, const Watch& watch);

}  // namespace tacho
