#pragma once

#include <filesystem>

#include "base/result.h"

namespace tacho {

// Returns the folder with runs, datasets and the store: $TACHO_HOME, else $XDG_DATA_HOME/tacho,
// else ~/.local/share/tacho. It may not exist yet.
Result<std::filesystem::path> tacho_home();

// Returns the folder of the running program, which also contains tacho-worker.
std::filesystem::path program_folder();

}  // namespace tacho
