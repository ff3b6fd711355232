#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/context.h"

namespace tacho {

// Finds the folder of a run of the store ('last' is the last training), or takes a folder: a
// container has no store.
Result<std::filesystem::path> served_folder(const std::string& run, const Context& context);

// Replaces this process by the worker, which handles signals and sets the exit code. Returns only
// if that fails.
Error become_worker(std::vector<std::string> words);

}  // namespace tacho
