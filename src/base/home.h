#pragma once

#include <filesystem>

#include "base/result.h"

namespace tacho {

// Where Tacho keeps runs, datasets and its store: $TACHO_HOME, else $XDG_DATA_HOME/tacho, else
// ~/.local/share/tacho. The folder need not exist yet.
Result<std::filesystem::path> tacho_home();

// The folder of the running program, where its companions (tacho-worker) lie.
std::filesystem::path program_folder();

}  // namespace tacho
