#pragma once

#include <filesystem>
#include <vector>

#include "training/data/fetch/verify.h"

namespace tacho {

// Compares the image counts of both parts with classes.tsv, or without one with the published
// numbers, and checks the first bytes of every image.
std::vector<FileReport> verify_folder(const DatasetInfo& info, const std::filesystem::path& folder,
                                      const Say& say, const Watch& watch);

}  // namespace tacho
