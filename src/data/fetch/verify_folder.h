#pragma once

#include <filesystem>
#include <vector>

#include "data/fetch/verify.h"

namespace tacho {

// Counts the images of both parts against classes.tsv, or where there is none against the published
// numbers, and looks at the first bytes of every one.
std::vector<FileReport> verify_folder(const DatasetInfo& info, const std::filesystem::path& folder,
                                      const Say& say, const Watch& watch);

}  // namespace tacho
