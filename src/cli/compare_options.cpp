#include "cli/compare_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>

#include "base/quantity.h"
#include "base/shell_words.h"
#include "cli/train_options.h"

namespace tacho {
namespace {

Error usage(std::string message) { return {ErrorCode::usage, std::move(message)}; }

// A thing that varies, and the ways it does.
struct Way {
  std::string name;
  std::string description;
  std::string word;                                 // for train
  std::optional<EnvironmentSpec> environment = {};  // for programs
  std::optional<CommandSpec> command = {};
};
using Axis = std::vector<Way>;

Result<std::vector<std::string>> parted_at_commas(std::string_view text, std::string_view option) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(',');
    if (end == 0 || text.empty()) {
      return usage(fmt::format("{}: an empty place between commas", option));
    }
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// "batch=32,64": train gets --batch=32, then --batch=64.
Result<Axis> vary_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string option = text.substr(0, equals);
  if (equals == std::string::npos || option.empty() || option.starts_with('-')) {
    return usage(fmt::format("--vary: '{}' names no values; write batch=32,64", text));
  }
  TACHO_TRY(values, parted_at_commas(text.substr(equals + 1), "--vary " + option));
  if (values.size() < 2) {
    return usage(fmt::format("--vary: {} has one value; write several, as {}={},…", option, option,
                             values.front()));
  }
  Axis axis;
  for (const std::string& value : values) {
    axis.push_back({.name = option + " " + value, .word = fmt::format("--{}={}", option, value)});
  }
  return axis;
}

// Short where that tells them apart: "podman", and with its image where there are two of them.
Result<Axis> environment_axis(const std::vector<std::string>& texts) {
  Axis axis;
  for (const std::string& text : texts) {
    TACHO_TRY(names, parted_at_commas(text, "--env"));
    for (const std::string& name : names) {
      TACHO_TRY(environment, environment_of({.environment = name}));
      axis.push_back({.name = std::string(kEnvironmentKinds.of(environment.kind)),
                      .description = environment_name(environment),
                      .word = "--env=" + name,
                      .environment = environment});
    }
  }
  for (Way& way : axis) {
    const auto alike = std::count_if(axis.begin(), axis.end(), [&](const Way& other) {
      return other.environment->kind == way.environment->kind;
    });
    if (alike > 1) way.name = way.description;
  }
  return axis;
}

Result<Axis> command_axis(const CompareOptions& o) {
  std::error_code problem;
  const std::string folder = std::filesystem::current_path(problem).string();
  if (problem) return Error{ErrorCode::io, "the current folder is gone: " + problem.message()};
  Axis axis;
  for (const std::string& line : o.commands) {
    TACHO_TRY(words, split_words(line).in("--cmd"));
    if (words.empty()) return usage("--cmd: no program named");
    CommandSpec command{.argv = std::move(words), .folder = folder};
    command.trace = o.trace;
    TACHO_CHECK(check(command));
    std::string name = short_name(command);
    std::string description = command_line(command);
    axis.push_back({.name = std::move(name),
                    .description = std::move(description),
                    .command = std::move(command)});
  }
  return axis;
}

// The same twice is a fair question: it must come out as no difference.
void tell_apart(Axis& axis) {
  for (std::size_t i = axis.size(); i-- > 0;) {
    const auto before = std::count_if(axis.begin(), axis.begin() + static_cast<std::ptrdiff_t>(i),
                                      [&](const Way& other) { return other.name == axis[i].name; });
    if (before > 0) axis[i].name += fmt::format(" #{}", before + 1);
  }
}

Result<std::vector<Axis>> axes_of(const CompareOptions& o) {
  std::vector<Axis> axes;
  if (!o.commands.empty()) {
    TACHO_TRY(axis, command_axis(o));
    axes.push_back(std::move(axis));
  }
  for (const std::string& text : o.vary) {
    TACHO_TRY(axis, vary_axis(text));
    axes.push_back(std::move(axis));
  }
  if (!o.environments.empty()) {
    TACHO_TRY(axis, environment_axis(o.environments));
    axes.push_back(std::move(axis));
  }
  // One way is no comparison, but may say where all the others are: --env podman:IMAGE.
  std::stable_partition(axes.begin(), axes.end(), [](const Axis& axis) { return axis.size() < 2; });
  for (Axis& axis : axes) tell_apart(axis);
  return axes;
}

Result<PlannedVariant> variant_of(const std::vector<const Way*>& ways, const CompareOptions& o,
                                  const std::vector<Axis>& axes) {
  PlannedVariant variant;
  std::vector<std::string> words(o.words.begin() + (o.words.empty() ? 0 : 1), o.words.end());
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const Way& way = *ways[i];
    if (!way.word.empty()) words.push_back(way.word);
    if (way.environment) variant.environment = *way.environment;
    if (way.command) variant.what = *way.command;
    if (i + 1 == ways.size()) {
      variant.shown.name = way.name;
      variant.shown.description = way.description;
    } else if (axes[i].size() > 1) {
      variant.shown.group += (variant.shown.group.empty() ? "" : ", ") + way.name;
    }
  }
  if (o.commands.empty()) {
    TACHO_TRY(request, read_train_words(words));
    variant.what = std::move(request.spec);
    variant.environment = std::move(request.environment);
    variant.time_limit_s = request.time_limit_s;
    variant.line_mbit = request.line_mbit;
  }
  return variant;
}

// One way of each axis, the last axis turning fastest.
Result<std::vector<PlannedVariant>> combinations(const std::vector<Axis>& axes,
                                                 const CompareOptions& o) {
  std::vector<PlannedVariant> variants;
  std::vector<const Way*> chosen;
  const std::function<Result<void>(std::size_t)> choose = [&](std::size_t at) -> Result<void> {
    if (at == axes.size()) {
      TACHO_TRY(variant, variant_of(chosen, o, axes));
      variants.push_back(std::move(variant));
      return {};
    }
    for (const Way& way : axes[at]) {
      chosen.push_back(&way);
      TACHO_CHECK(choose(at + 1));
      chosen.pop_back();
    }
    return {};
  };
  TACHO_CHECK(choose(0));
  return variants;
}

Result<void> check_fits_together(const CompareOptions& o) {
  const bool trains = !o.words.empty();
  if (trains && o.words.front() != "train") {
    return usage(
        fmt::format("'{}' cannot be compared; write train and its words behind --, or "
                    "name programs with --cmd",
                    o.words.front()));
  }
  if (trains == !o.commands.empty()) {
    return usage(trains ? "--cmd and a training behind -- do not go together"
                        : "nothing to run; write '-- train MODEL …' at the end, or --cmd");
  }
  if (!trains && !o.vary.empty()) {
    return usage("--vary is for options of train; of programs, name each with --cmd");
  }
  if (trains && o.trace) return usage("--trace is for --cmd; write it behind 'train'");
  return {};
}

std::string title_of(const CompareOptions& o) {
  if (!o.words.empty()) return shell_quoted(o.words);
  std::string title;
  for (const std::string& command : o.commands) title += (title.empty() ? "" : " | ") + command;
  return title;
}

std::int64_t seed_of_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
             .count() %
         1'000'000;
}

}  // namespace

void declare_rule(CLI::App& command, CompareOptions& o) {
  command.add_option("--repeat,-n", o.repeat, "counted runs of each variant, at least (10)");
  command.add_option("--max-repeat", o.max_repeat, "and at most (100)");
  command.add_option("--resolution", o.resolution, "go on until intervals are this narrow (1%)");
  command.add_option("--max-time", o.max_time, "for everything, as 90s, 10m, 1h30m");
}

void declare(CLI::App& command, CompareOptions& o) {
  command.add_option("--env", o.environments, "bare,podman,charliecloud:FOLDER,…");
  command.add_option("--vary", o.vary, "an option of train: batch=32,64; repeatable");
  command.add_option("--cmd", o.commands, "a program and its arguments, quoted; repeatable");
  command.add_option("--runs", o.runs, "runs made before: 41,42/43,44, or batch=32/batch=64");
  command.add_option("--metric", o.metrics, "compare by this; the first must become narrow");
  declare_rule(command, o);
  command.add_option("--seed", o.seed, "of the blocks' order");
  command.add_flag("--trace", o.trace, "what programs do on GPUs, kernel by kernel");
  command
      .add_flag("--include-disturbed", o.include_disturbed,
                "count also runs that the machine was too busy for")
      ->envname("TACHO_INCLUDE_DISTURBED");
  for (const char* each : {"--env", "--vary", "--cmd", "--runs", "--metric"}) {
    // One value each: an option that took more would take the -- behind it, too.
    command.get_option(each)->expected(1)->take_all()->allow_extra_args(false);
  }
}

Result<CompareOptions> read_compare_words(std::span<const std::string> words) {
  CLI::App command("", "compare");
  CompareOptions options;
  declare(command, options);
  const auto dashes = std::ranges::find(words, "--");
  try {
    // CLI11 takes them from the back.
    std::vector<std::string> own(words.begin(), dashes);
    std::ranges::reverse(own);
    command.parse(own);
  } catch (const CLI::ParseError& problem) {
    return usage(fmt::format("compare: {}; see 'tacho compare --help'", problem.what()));
  }
  if (dashes != words.end()) options.words.assign(dashes + 1, words.end());
  if (!options.runs.empty()) return usage("compare: --runs makes no runs; leave it out here");
  return options;
}

Result<RuleChanges> rule_changes(const CompareOptions& o) {
  RuleChanges changes;
  if (!o.resolution.empty()) {
    TACHO_TRY(share, parse_percent(o.resolution).in("--resolution"));
    changes.resolution = share;
  }
  if (!o.max_time.empty()) {
    TACHO_TRY(time, parse_duration(o.max_time).in("--max-time"));
    changes.max_time = time;
  }
  changes.min_repeats = o.repeat;
  changes.max_repeats = o.max_repeat;
  return changes;
}

Result<ComparePlan> plan_of(const CompareOptions& o) {
  TACHO_CHECK(check_fits_together(o));
  ComparePlan plan;
  TACHO_TRY(changes, rule_changes(o));
  plan.rule = changed({}, changes);
  TACHO_CHECK(check(plan.rule));
  TACHO_TRY(axes, axes_of(o));
  if (axes.empty() || axes.back().size() < 2) {
    return usage(
        "one variant is no comparison; write --env bare,podman, "
        "--vary batch=32,64, or --cmd twice");
  }
  TACHO_TRY(variants, combinations(axes, o));
  plan.variants = std::move(variants);
  plan.metrics = o.metrics;
  plan.title = title_of(o);
  plan.seed = o.seed.value_or(seed_of_now());
  plan.include_disturbed = o.include_disturbed;
  return plan;
}

}  // namespace tacho
