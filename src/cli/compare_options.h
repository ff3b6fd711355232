#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/compare_lab.h"
#include "lab/compare_plan.h"

namespace CLI {
class App;
}

namespace tacho {

// What was typed after `tacho compare`.
struct CompareOptions {
  std::vector<std::string> environments;  // "bare,podman:IMAGE"
  std::vector<std::string> vary;          // "batch=32,64"
  std::vector<std::string> commands;      // "python3 a.py"
  std::vector<std::string> runs;          // "41,42/43,44"
  std::vector<std::string> words;         // behind --: train and its words
  std::vector<std::string> metrics;
  std::string resolution;
  std::string max_time;
  std::optional<std::int64_t> repeat;
  std::optional<std::int64_t> max_repeat;
  std::optional<std::int64_t> seed;
  bool trace = false;
  bool include_disturbed = false;
};

void declare(CLI::App& command, CompareOptions& options);
void declare_rule(CLI::App& command, CompareOptions& options);

// The words behind 'tacho compare' of someone who compares what will be run: no --runs.
Result<CompareOptions> read_compare_words(std::span<const std::string> words);

Result<RuleChanges> rule_changes(const CompareOptions& options);

// What is to be run. The last thing that varies is compared, the others make groups: of
// --vary batch=32,64 --env bare,podman the two environments are compared at each batch.
Result<ComparePlan> plan_of(const CompareOptions& options);

}  // namespace tacho
