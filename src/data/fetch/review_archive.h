#pragma once

#include <filesystem>

#include "base/result.h"
#include "data/review_folder.h"

namespace tacho {

// All reviews in a .tar or .tar.gz, such as aclImdb_v1.tar.gz. Nothing is unpacked on the disk.
Result<Reviews> read_review_archive(const std::filesystem::path& archive);

}  // namespace tacho
