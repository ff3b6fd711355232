#pragma once

#include <filesystem>

#include "base/result.h"
#include "data/catalog.h"
#include "data/fetch/verify.h"
#include "data/fetch/watch.h"

namespace tacho {

// Makes home/data/NAME/{train,val}/CLASS/*.JPEG from TinyImageNet's .zip, its unpacked folder, or a
// folder that holds either. The counts of `info` must be met where it has any. Nothing is left of
// an attempt that does not succeed.
Result<std::filesystem::path> prepare_tiny_imagenet(const DatasetInfo& info,
                                                    const std::filesystem::path& from,
                                                    const std::filesystem::path& home,
                                                    const Say& say, const Watch& watch);

}  // namespace tacho
