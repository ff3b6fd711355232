#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "core/record/command_spec.h"
#include "core/record/environment_spec.h"
#include "core/record/run_spec.h"
#include "experiments/compare/comparison.h"
#include "experiments/compare/schedule.h"

namespace tacho {

// A variant to run: a training or a program, with its environment.
struct PlannedVariant {
  Variant shown;
  std::variant<RunSpec, CommandSpec> what;
  EnvironmentSpec environment;
  std::optional<double> time_limit_s = {};
  std::optional<double> line_mbit = {};  // link rate of simulated machines
};

// The plan of a comparison, stored with it so that it can be resumed.
struct ComparePlan {
  std::string title;
  std::string command;  // as typed
  std::int64_t seed = 0;
  StopRule rule;
  bool include_disturbed = false;  // count disturbed runs too
  // Keys of the metrics to compare; the interval of the first must become narrow. Empty: all
  // metrics that the runs have.
  std::vector<std::string> metrics;
  std::vector<PlannedVariant> variants;
};

// Returns a comparison without runs, started now.
Comparison new_comparison(const ComparePlan& plan);

Json to_json(const ComparePlan& plan);
Result<ComparePlan> compare_plan_from_json(const Json& json);

}  // namespace tacho
