#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "experiments/runner/compare_request.h"

namespace CLI {
class App;
}

namespace tacho {

void declare(CLI::App& command, CompareRequest& options);
void declare_rule(CLI::App& command, CompareRequest& options);

// Parses the words of `tacho compare` without --runs.
Result<CompareRequest> read_compare_words(std::span<const std::string> words);

}  // namespace tacho
