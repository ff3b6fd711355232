#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/result.h"
#include "cli/rank_options.h"
#include "core/record/run_options.h"

namespace CLI {
class App;
}

namespace tacho {

// Selects options of core/record/run_options.h.
inline bool any_option(const RunOption& /*option*/) { return true; }
inline bool environment_option(const RunOption& option) { return option.group == "Environment"; }

// Declares the options of core/record/run_options.h that `wanted` accepts.
void declare_run_options(CLI::App& command, const std::function<bool(const RunOption&)>& wanted);
// Returns those that were given.
RunSettings given_settings(const CLI::App& command,
                           const std::function<bool(const RunOption&)>& wanted);

// The options of `tacho train` that are not part of the run.
struct TrainOptions {
  RankOptions ranks;
  std::string resume;
  std::string checkpoint;  // to resume from
  std::string job;         // continue its run if there is one
  std::int64_t max_restarts = 0;
  std::string settings;  // RunSettings as JSON, from the dashboard
  bool json = false;
  bool mllog = false;
};
void declare(CLI::App& command, TrainOptions& options);
Result<RunSettings> settings_of(const CLI::App& command, const TrainOptions& options);

// Parses what a user wrote after `train` in a comparison or a study.
Result<RunSettings> read_train_words(std::span<const std::string> words);

}  // namespace tacho
