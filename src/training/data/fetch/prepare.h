#pragma once

#include <filesystem>

#include "base/result.h"
#include "training/data/catalog.h"
#include "training/data/fetch/verify.h"
#include "training/data/fetch/watch.h"

namespace tacho {

// Creates home/data/NAME and returns it, from the form in which its authors publish it: a folder of
// files, plain or compressed, an archive, or a folder of archives. The folder appears complete or
// not at all: after an interruption it is enough to run it again. A dataset that is used in place
// (Packing::in_place) is verified and its folder returned.
Result<std::filesystem::path> prepare(const DatasetInfo& info, const std::filesystem::path& from,
                                      const std::filesystem::path& home, const Say& say,
                                      const Watch& watch = {});

// For a part of the release with the same structure: its counts are only compared with each other,
// not with the published ones.
DatasetInfo subset_of(DatasetInfo info);

}  // namespace tacho
