#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace tacho {

// Returns "sha256:…" of the bytes for an image file. For a folder, returns "listing-sha256:…" of
// the name, kind, mode, size and modification time of all non-empty files: an update changes it,
// and it does not need to read gigabytes.
Result<std::string> image_digest(const std::filesystem::path& image);

}  // namespace tacho
