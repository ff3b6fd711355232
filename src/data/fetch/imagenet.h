#pragma once

#include <filesystem>

#include "base/result.h"
#include "data/catalog.h"
#include "data/fetch/verify.h"
#include "data/fetch/watch.h"

namespace tacho {

// Makes home/data/NAME/{train,val}/CLASS/*.JPEG from the three archives of ILSVRC2012 in `from`, in
// one pass and without unpacking anything twice. The counts of `info` must be met where it has any,
// and those of the development kit. Grows in NAME.partial: an attempt that is killed, stopped or
// out of disk goes on after the last whole class when it is repeated; an archive that turns out to
// be damaged leaves nothing.
Result<std::filesystem::path> prepare_imagenet(const DatasetInfo& info,
                                               const std::filesystem::path& from,
                                               const std::filesystem::path& home, const Say& say,
                                               const Watch& watch);

}  // namespace tacho
