#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/record/run_options.h"
#include "experiments/runner/compare_plan.h"
#include "experiments/runner/compare_runner.h"

namespace tacho {

// What to compare, as the options of `tacho compare` say it.
struct CompareRequest {
  std::vector<std::string> environments;  // "bare,podman:IMAGE"
  std::vector<std::string> vary;          // "batch=32,64"
  std::vector<std::string> commands;      // "python3 a.py"
  std::vector<std::string> runs;          // "41,42/43,44"
  std::vector<std::string> words;         // after --: train and its options
  std::vector<std::string> metrics;
  std::string resolution;
  std::string max_time;
  std::optional<std::int64_t> repeat;
  std::optional<std::int64_t> max_repeat;
  std::optional<std::int64_t> seed;
  bool trace = false;
  bool include_disturbed = false;
};

Result<RuleChanges> rule_changes(const CompareRequest& request);

// Parses the words of a training that a user wrote.
using ReadTraining = std::function<Result<RunSettings>(std::span<const std::string>)>;

// Plans the runs. The last option that varies is compared, the others make groups: --vary
// batch=32,64 --env bare,podman compares the two environments at each batch.
Result<ComparePlan> plan_of(const CompareRequest& request, const ReadTraining& read);

}  // namespace tacho
