#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "training/data/fetch/image_plan.h"
#include "training/data/fetch/image_source.h"

namespace tacho {

// Finds the images among the files of a source: train/CLASS/FILE.jpg (or .jpeg, .png) and
// val/CLASS/FILE.jpg (or valid/, test/), also in one common folder, and also with a folder `images`
// between class and file. Returns none if no file is placed like that; other files are ignored.
Result<std::vector<PlacedImage>> find_class_folders(const ImageSource& source,
                                                    std::span<const std::string> files);

}  // namespace tacho
