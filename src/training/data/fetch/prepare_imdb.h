#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "training/data/catalog.h"
#include "training/data/fetch/class_table.h"
#include "training/data/fetch/verify.h"

namespace tacho {

// True if `from` contains the tables that prepare_imdb() creates, ready to be copied.
bool has_review_tables(const std::filesystem::path& from);

// Counts the reviews of each label in the tables of `folder`. The counts must be the published
// ones, unless `info` is that of a subset.
Result<std::vector<ClassLine>> count_reviews(const DatasetInfo& info,
                                             const std::filesystem::path& folder);

// Creates train.tsv and dev.tsv from aclImdb_v1.tar.gz (or .tar.xz), or from its unpacked folder
// with one review per file, and passes them to prepare(). The catalog has the required number of
// reviews. Writes nothing until all reviews were read.
Result<std::filesystem::path> prepare_imdb(const DatasetInfo& info,
                                           const std::filesystem::path& from,
                                           const std::filesystem::path& home, const Say& say);

}  // namespace tacho
