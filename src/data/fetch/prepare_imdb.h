#pragma once

#include <filesystem>

#include "base/result.h"
#include "data/catalog.h"
#include "data/fetch/verify.h"

namespace tacho {

// Whether `from` has what prepare_imdb() makes, to be copied as it is.
bool holds_review_tables(const std::filesystem::path& from);

// Makes train.tsv and dev.tsv of film reviews one a file, as aclImdb_v1.tar.gz or unpacked, and has
// prepare() verify those and take them over. How many reviews there must be is the catalogue's to
// say. Until all is read, nothing is written.
Result<std::filesystem::path> prepare_imdb(const DatasetInfo& info,
                                           const std::filesystem::path& from,
                                           const std::filesystem::path& home, const Say& say);

}  // namespace tacho
