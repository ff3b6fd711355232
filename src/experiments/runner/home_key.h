#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace tacho {

// Returns the key in the home, which only its owner can read; creates it if necessary. All
// processes of a user on one machine share it without communicating.
Result<std::string> home_key(const std::filesystem::path& home);

}  // namespace tacho
