#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace tacho {

// A key that lies in Tacho's home and that its owner alone can read; made where there is none. Two
// processes of one user on one machine have it in common without a word between them.
Result<std::string> home_key(const std::filesystem::path& home);

}  // namespace tacho
