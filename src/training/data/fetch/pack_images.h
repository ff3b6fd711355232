#pragma once

#include <filesystem>

#include "base/result.h"
#include "training/data/catalog.h"
#include "training/data/fetch/image_plan.h"
#include "training/data/fetch/image_source.h"
#include "training/data/fetch/watch.h"

namespace tacho {

// Decodes the images of a source into train.images and eval.images in `folder`. Grey images become
// colour images; an image of another size than that of `info` is refused. An error leaves
// incomplete files.
Result<void> pack_images(const DatasetInfo& info, const ImageSource& source, const ImagePlan& plan,
                         const std::filesystem::path& folder, const Watch& watch);

// The same from CIFAR's files ("binary version") in the folder `from`; also writes classes.tsv.
Result<void> pack_cifar(const DatasetInfo& info, const std::filesystem::path& from,
                        const std::filesystem::path& folder, const Watch& watch);

}  // namespace tacho
