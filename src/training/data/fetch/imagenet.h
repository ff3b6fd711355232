#pragma once

#include <filesystem>

#include "base/result.h"
#include "training/data/catalog.h"
#include "training/data/fetch/verify.h"
#include "training/data/fetch/watch.h"

namespace tacho {

// Creates home/data/NAME/{train,val}/CLASS/*.JPEG from the three archives of ILSVRC2012 in `from`,
// in one pass and without unpacking anything twice. The counts must match those of `info`, if it
// has any, and those of the development kit. Grows in NAME.partial: an attempt that was killed,
// stopped or out of disk space continues after the last complete class when repeated; a damaged
// archive leaves nothing behind.
Result<std::filesystem::path> prepare_imagenet(const DatasetInfo& info,
                                               const std::filesystem::path& from,
                                               const std::filesystem::path& home, const Say& say,
                                               const Watch& watch);

}  // namespace tacho
