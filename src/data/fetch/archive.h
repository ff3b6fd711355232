#pragma once

#include <filesystem>
#include <span>

#include "base/result.h"
#include "base/units.h"

namespace tacho {

// Takes the regular files with these paths out of a .tar.gz, each into `folder` under its file
// name. Nothing else in the archive is written anywhere; a path it lacks is an error, and so is a
// file of more than `limit`.
Result<void> extract(const std::filesystem::path& archive,
                     std::span<const std::filesystem::path> paths,
                     const std::filesystem::path& folder, Bytes limit = Bytes{1 << 30});

}  // namespace tacho
