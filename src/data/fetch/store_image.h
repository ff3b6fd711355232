#pragma once

#include <filesystem>

#include "base/result.h"
#include "data/fetch/entry_reader.h"

namespace tacho {

// Writes the file the reader is at, which must begin like an image and be of a size images have, to
// `target`, which must not exist. ErrorCode::io is the disk's fault, all others the archive's.
Result<void> store_image(EntryReader& reader, const std::filesystem::path& target);

}  // namespace tacho
