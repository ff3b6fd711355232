#pragma once

#include <filesystem>

#include "base/result.h"
#include "training/data/catalog.h"
#include "training/data/fetch/verify.h"

namespace tacho {

// True if `from` contains the tables that prepare_imdb() creates, ready to be copied.
bool has_review_tables(const std::filesystem::path& from);

// Creates train.tsv and dev.tsv from aclImdb_v1.tar.gz, or from its unpacked folder with one review
// per file, and passes them to prepare(). The catalog has the required number of reviews. Writes
// nothing until all reviews were read.
Result<std::filesystem::path> prepare_imdb(const DatasetInfo& info,
                                           const std::filesystem::path& from,
                                           const std::filesystem::path& home, const Say& say);

}  // namespace tacho
