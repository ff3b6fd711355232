#pragma once

#include <filesystem>

#include "base/result.h"
#include "data/catalog.h"
#include "data/fetch/verify.h"
#include "data/fetch/watch.h"

namespace tacho {

// Makes home/data/NAME, which it returns, from what its authors publish: a folder of files, plain
// or compressed, an archive, or a folder of archives. The folder appears whole or not at all:
// whatever interrupts this, running it again is all there is to do. A dataset that stays where it
// is (Packing::in_place) is verified and its own folder returned.
Result<std::filesystem::path> prepare(const DatasetInfo& info, const std::filesystem::path& from,
                                      const std::filesystem::path& home, const Say& say,
                                      const Watch& watch = {});

// Of a part of the release, in the structure of the whole: its counts are not compared with the
// published ones, only with each other.
DatasetInfo subset_of(DatasetInfo info);

}  // namespace tacho
