#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace tacho {

// Serves the model of the run in `folder` until SIGTERM or SIGINT, with infer/options.h's words.
// Prints one line once it takes requests. Exit code 2 where it cannot be started.
int infer_from(const std::filesystem::path& folder, std::span<const std::string> words);

}  // namespace tacho
