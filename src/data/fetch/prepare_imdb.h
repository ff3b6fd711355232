#pragma once

#include <filesystem>

#include "base/result.h"
#include "data/catalog.h"
#include "data/fetch/verify.h"

namespace tacho {

// Whether `from` has film reviews one a file, as aclImdb_v1.tar.gz or unpacked, which prepare()
// cannot copy as they are.
bool needs_prepare_imdb(const DatasetInfo& info, const std::filesystem::path& from);

// Makes train.tsv and dev.tsv of them and has prepare() verify those and take them over. How many
// reviews there must be is the catalogue's to say. Until all is read, nothing is written.
Result<std::filesystem::path> prepare_imdb(const DatasetInfo& info,
                                           const std::filesystem::path& from,
                                           const std::filesystem::path& home, const Say& say);

}  // namespace tacho
