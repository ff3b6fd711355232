#pragma once

#include <filesystem>

#include "base/result.h"
#include "training/data/catalog.h"
#include "training/data/fetch/image_plan.h"
#include "training/data/fetch/image_source.h"
#include "training/data/fetch/watch.h"
#include "training/data/image_data.h"

namespace tacho {

// Decodes the images of a source into train.images and eval.images in `folder`. Grey images become
// colour images; an image of another size than that of `info` is refused. An error leaves
// incomplete files.
Result<void> pack_images(const DatasetInfo& info, const ImageSource& source, const ImagePlan& plan,
                         const std::filesystem::path& folder, const Watch& watch);

// Writes the same files, in which the classes alternate as in ImagePlan, and classes.tsv.
Result<void> write_images(const DatasetInfo& info, const ImageData& data,
                          const std::filesystem::path& folder, const Watch& watch);

}  // namespace tacho
