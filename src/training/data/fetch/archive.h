#pragma once

#include <filesystem>
#include <span>

#include "base/result.h"
#include "base/units.h"

namespace tacho {

// Extracts the regular files with these paths from a .tar.gz, each into `folder` under its file
// name. Writes nothing else; a missing path is an error, and so is a file larger than `limit`.
Result<void> extract(const std::filesystem::path& archive,
                     std::span<const std::filesystem::path> paths,
                     const std::filesystem::path& folder, Bytes limit = Bytes{1 << 30});

}  // namespace tacho
