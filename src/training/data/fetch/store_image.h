#pragma once

#include <filesystem>

#include "base/result.h"
#include "training/data/fetch/entry_reader.h"

namespace tacho {

// Writes the reader's current file, which must begin like an image and have a plausible size, to
// `target`, which must not exist. ErrorCode::io is an error of the disk, all others of the archive.
Result<void> store_image(EntryReader& reader, const std::filesystem::path& target);

}  // namespace tacho
