#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "lab/compare_lab.h"
#include "lab/compare_plan.h"

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
  std::int64_t repeat = 0;      // 0: the rule's own
  std::int64_t max_repeat = 0;  // 0: the rule's own
  std::optional<std::int64_t> seed;
  bool trace = false;
};

Result<RuleChanges> rule_changes(const CompareOptions& options);

// What is to be run. The last thing that varies is compared, the others make groups: of
// --vary batch=32,64 --env bare,podman the two environments are compared at each batch.
Result<ComparePlan> plan_of(const CompareOptions& options);

}  // namespace tacho
