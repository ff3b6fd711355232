#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho::serve {

// A `tacho` with the arguments `words` that keeps running when this server ends.
struct DetachedCommand {
  std::filesystem::path program;
  std::filesystem::path home;
  std::vector<std::string> words;
  std::vector<int> inherited = {};  // file descriptors that it keeps open
};

// Starts the command and returns the number of what it started, once that is in the store; `kind`
// is "run" or "sweep". Its error is returned as an error.
Result<std::int64_t> start_detached(const DetachedCommand& command, std::string_view kind);

}  // namespace tacho::serve
