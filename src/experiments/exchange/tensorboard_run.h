#pragma once

#include <filesystem>

#include "base/result.h"
#include "experiments/exchange/portable_run.h"

namespace tacho {

// Returns the folders at or below `folder` that have event files of TensorBoard: each is one run.
std::vector<std::filesystem::path> tensorboard_folders(const std::filesystem::path& folder);

// Reads the scalars of all event files of a folder.
Result<PortableRun> read_tensorboard_run(const std::filesystem::path& folder);

// Writes an event file into a folder without one.
Result<void> write_tensorboard_run(const PortableRun& run, const std::filesystem::path& folder);

}  // namespace tacho
