#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace tacho::serve {

// A tacho of its own, started with `words`, that goes on when this server ends.
struct Errand {
  std::filesystem::path program;
  std::filesystem::path home;
  std::vector<std::string> words;
  std::vector<int> inherited = {};  // descriptors that it keeps open
};

// Starts it and answers with the number that `number_in` finds in what it says first: what it made
// is then in the store. What it complains of instead is an error.
using NumberIn = std::function<std::optional<std::int64_t>(const std::string& said)>;
Result<std::int64_t> begin_errand(const Errand& errand, const NumberIn& number_in);

// The number that follows `mark`.
std::optional<std::int64_t> number_behind(std::string_view text, std::string_view mark);

}  // namespace tacho::serve
