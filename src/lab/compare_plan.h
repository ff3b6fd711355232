#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "compare/comparison.h"
#include "compare/schedule.h"
#include "record/command_spec.h"
#include "record/environment_spec.h"
#include "record/run_spec.h"

namespace tacho {

// One way to run the same thing: a training or a program, and where it lives.
struct PlannedVariant {
  Variant shown;
  std::variant<RunSpec, CommandSpec> what;
  EnvironmentSpec environment;
  std::optional<double> time_limit_s = {};
  std::optional<double> line_mbit = {};  // where machines are stood for
};

// What a comparison is to run. Kept beside it, so that it can go on after a kill.
struct ComparePlan {
  std::string title;
  std::string command;  // as it was typed
  std::int64_t seed = 0;
  StopRule rule;
  bool include_disturbed = false;  // compare also what the machine was too busy for
  // Keys of the metrics to compare by; the first must become narrow. Empty: what runs have.
  std::vector<std::string> metrics;
  std::vector<PlannedVariant> variants;
};

// Without runs yet, started now.
Comparison new_comparison(const ComparePlan& plan);

Json to_json(const ComparePlan& plan);
Result<ComparePlan> compare_plan_from_json(const Json& json);

}  // namespace tacho
