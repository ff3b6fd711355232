#include "cli/compare_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/usage_message.h"

namespace tacho {
namespace {

Error usage(std::string message) { return {ErrorCode::usage, std::move(message)}; }

}  // namespace

void declare_rule(CLI::App& command, CompareRequest& o) {
  command.add_option("--repeat,-n", o.repeat,
                     "smallest number of runs per variant, without warm-up (default: 10)");
  command.add_option("--max-repeat", o.max_repeat,
                     "largest number of runs per variant (default: 100)");
  command.add_option("--resolution", o.resolution,
                     "repeat until intervals are this narrow (default: 1%)");
  command.add_option("--max-time", o.max_time,
                     "time for the whole comparison, such as 90s, 10m or 1h30m");
}

void declare(CLI::App& command, CompareRequest& o) {
  command.add_option("--env", o.environments,
                     "environments to compare: bare,podman,charliecloud:FOLDER,… (repeatable)");
  command.add_option("--vary", o.vary, "option of train and its values: batch=32,64 (repeatable)");
  command.add_option("--cmd", o.commands, "program with its arguments, quoted (repeatable)");
  command.add_option("--runs", o.runs,
                     "recorded runs: 41,42/43,44, or batch=32/batch=64 (repeatable)");
  command.add_option("--metric", o.metrics,
                     "metric to compare; the first decides when to stop (repeatable)");
  declare_rule(command, o);
  command.add_option("--seed", o.seed, "random seed");
  command.add_flag("--trace", o.trace, "trace GPU kernels");
  command
      .add_flag("--include-disturbed", o.include_disturbed,
                "include runs during which other programs used the machine")
      ->envname("TACHO_INCLUDE_DISTURBED");
  for (const char* each : {"--env", "--vary", "--cmd", "--runs", "--metric"}) {
    // One value each: an option that takes several would consume the -- after it.
    command.get_option(each)->expected(1)->take_all()->allow_extra_args(false);
  }
}

Result<CompareRequest> read_compare_words(std::span<const std::string> words) {
  CLI::App command("", "compare");
  CompareRequest options;
  declare(command, options);
  const auto dashes = std::ranges::find(words, "--");
  try {
    // CLI11 expects them in reverse order.
    std::vector<std::string> own(words.begin(), dashes);
    std::ranges::reverse(own);
    command.parse(own);
  } catch (const CLI::ParseError& problem) {
    return usage("compare: " + usage_message(command, problem));
  }
  if (dashes != words.end()) options.words.assign(dashes + 1, words.end());
  if (!options.runs.empty()) return usage("compare: --runs makes no runs; leave it out");
  return options;
}

}  // namespace tacho
