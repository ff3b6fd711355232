#include "experiments/sweep/grid.h"

namespace tacho {
namespace {

std::string filled_in(std::string_view word, const Configuration& configuration) {
  std::string out;
  while (!word.empty()) {
    const std::size_t open = word.find('{');
    out += word.substr(0, open);
    if (open == std::string_view::npos) break;
    word.remove_prefix(open);
    const std::size_t close = word.find('}');
    const std::string* value =
        close == std::string_view::npos ? nullptr : configuration.find(word.substr(1, close - 1));
    // Braces without a known name belong to the program, such as awk '{print}'.
    out += value == nullptr ? "{" : *value;
    word.remove_prefix(value == nullptr ? 1 : close + 1);
  }
  return out;
}

}  // namespace

std::vector<std::string> filled_in(std::span<const std::string> command,
                                   const Configuration& configuration) {
  std::vector<std::string> words;
  words.reserve(command.size());
  for (const std::string& word : command) words.push_back(filled_in(word, configuration));
  return words;
}

}  // namespace tacho
