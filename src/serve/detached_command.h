#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
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

// Starts the command and returns the number that `number_in` finds in its first output: what the
// command created is then in the store. An error message in the output is returned as an error.
using NumberIn = std::function<std::optional<std::int64_t>(const std::string& output)>;
Result<std::int64_t> start_detached(const DetachedCommand& command, const NumberIn& number_in);

// Parses the number that follows `mark`.
std::optional<std::int64_t> number_after(std::string_view text, std::string_view mark);

}  // namespace tacho::serve
