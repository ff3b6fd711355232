#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace tacho {

// Files that contain a secret. Nobody but their owner can read them, and links are not followed.

// Returns ErrorCode::usage if the file belongs to another user, or others can read it, or it is not
// a regular file.
Result<std::string> read_private(const std::filesystem::path& path, Bytes limit);

// Replaces the file as a whole or not at all. A link at its path is replaced, too.
Result<void> write_private(const std::filesystem::path& path, std::string_view content);

}  // namespace tacho
