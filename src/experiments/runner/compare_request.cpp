#include "experiments/runner/compare_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/quantity.h"
#include "base/shell_words.h"
#include "base/split.h"

namespace tacho {
namespace {

Error usage(std::string message) { return {ErrorCode::usage, std::move(message)}; }

// One value of something that varies.
struct AxisValue {
  std::string name;
  std::string description;
  RunSettings settings = {};                        // of a training
  std::optional<EnvironmentSpec> environment = {};  // of programs
  std::optional<CommandSpec> command = {};
};
using Axis = std::vector<AxisValue>;

Result<std::vector<std::string>> split_at_commas(std::string_view text, std::string_view option) {
  const auto parts = split(text, ',');
  if (std::ranges::find(parts, "") != parts.end()) {
    return usage(fmt::format("{}: empty value between commas", option));
  }
  return std::vector<std::string>(parts.begin(), parts.end());
}

// "batch=32,64" becomes the settings batch 32 and batch 64.
Result<Axis> vary_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string option = text.substr(0, equals);
  if (equals == std::string::npos || option.empty() || option.starts_with('-')) {
    return usage(fmt::format("--vary: '{}' has no values; write batch=32,64", text));
  }
  TACHO_TRY(values, split_at_commas(text.substr(equals + 1), "--vary " + option));
  if (values.size() < 2) {
    return usage(fmt::format("--vary: {} has one value; give several, as in {}={},…", option,
                             option, values.front()));
  }
  Axis axis;
  for (const std::string& value : values) {
    axis.push_back({.name = option + " " + value, .settings = {{option, value}}});
  }
  return axis;
}

// Names are short ("podman"), with the image only if several environments are of one kind.
Result<Axis> environment_axis(const std::vector<std::string>& texts) {
  Axis axis;
  for (const std::string& text : texts) {
    TACHO_TRY(names, split_at_commas(text, "--env"));
    for (const std::string& name : names) {
      TACHO_TRY(environment, parse_environment(name).in("--env"));
      axis.push_back({.name = std::string(kEnvironmentKinds.of(environment.kind)),
                      .description = environment_name(environment),
                      .settings = {{"env", name}},
                      .environment = environment});
    }
  }
  for (AxisValue& value : axis) {
    const auto alike = std::count_if(axis.begin(), axis.end(), [&](const AxisValue& other) {
      return other.environment->kind == value.environment->kind;
    });
    if (alike > 1) value.name = value.description;
  }
  return axis;
}

Result<Axis> command_axis(const CompareRequest& o) {
  std::error_code problem;
  const std::string folder = std::filesystem::current_path(problem).string();
  if (problem)
    return Error{ErrorCode::io, "the current folder no longer exists: " + problem.message()};
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

// Numbers equal names. Comparing the same thing twice is allowed: it must show no difference.
void number_equal_names(Axis& axis) {
  for (std::size_t i = axis.size(); i-- > 0;) {
    const auto before =
        std::count_if(axis.begin(), axis.begin() + static_cast<std::ptrdiff_t>(i),
                      [&](const AxisValue& other) { return other.name == axis[i].name; });
    if (before > 0) axis[i].name += fmt::format(" #{}", before + 1);
  }
}

Result<std::vector<Axis>> axes_of(const CompareRequest& o) {
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
  // An axis with one value is not compared; it applies to all variants: --env podman:IMAGE.
  std::stable_partition(axes.begin(), axes.end(), [](const Axis& axis) { return axis.size() < 2; });
  for (Axis& axis : axes) number_equal_names(axis);
  return axes;
}

Result<PlannedVariant> variant_of(const std::vector<const AxisValue*>& values,
                                  const CompareRequest& o, const RunSettings& written,
                                  const std::vector<Axis>& axes) {
  PlannedVariant variant;
  RunSettings settings = written;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const AxisValue& value = *values[i];
    settings.insert(settings.end(), value.settings.begin(), value.settings.end());
    if (value.environment) variant.environment = *value.environment;
    if (value.command) variant.what = *value.command;
    if (i + 1 == values.size()) {
      variant.shown.name = value.name;
      variant.shown.description = value.description;
    } else if (axes[i].size() > 1) {
      variant.shown.group += (variant.shown.group.empty() ? "" : ", ") + value.name;
    }
  }
  if (o.commands.empty()) {
    TACHO_TRY(request, train_request(settings));
    variant.what = std::move(request.spec);
    variant.environment = std::move(request.environment);
    variant.time_limit_s = request.time_limit_s;
    variant.line_mbit = request.line_mbit;
  }
  return variant;
}

// Takes one value of each axis; the last axis changes fastest.
Result<std::vector<PlannedVariant>> combinations(const std::vector<Axis>& axes,
                                                 const CompareRequest& o,
                                                 const ReadTraining& read) {
  RunSettings written;
  if (!o.words.empty()) {
    TACHO_TRY(settings, read(std::span(o.words).subspan(1)));
    written = std::move(settings);
  }
  std::vector<PlannedVariant> variants;
  std::vector<const AxisValue*> chosen;
  const std::function<Result<void>(std::size_t)> choose = [&](std::size_t at) -> Result<void> {
    if (at == axes.size()) {
      TACHO_TRY(variant, variant_of(chosen, o, written, axes));
      variants.push_back(std::move(variant));
      return {};
    }
    for (const AxisValue& value : axes[at]) {
      chosen.push_back(&value);
      TACHO_CHECK(choose(at + 1));
      chosen.pop_back();
    }
    return {};
  };
  TACHO_CHECK(choose(0));
  return variants;
}

Result<void> check_fits_together(const CompareRequest& o) {
  const bool trains = !o.words.empty();
  if (trains && o.words.front() != "train") {
    return usage(
        fmt::format("'{}' cannot be compared; write train and its options after --, or "
                    "programs with --cmd",
                    o.words.front()));
  }
  if (trains == !o.commands.empty()) {
    return usage(trains ? "--cmd and a training after -- exclude each other"
                        : "nothing to run; add '-- train MODEL …' at the end, or --cmd");
  }
  if (!trains && !o.vary.empty()) {
    return usage("--vary is for options of train; give each program with --cmd");
  }
  if (trains && o.trace) return usage("--trace is for --cmd; write it after 'train'");
  return {};
}

std::string title_of(const CompareRequest& o) {
  if (!o.words.empty()) return shell_quoted(o.words);
  std::string title;
  for (const std::string& command : o.commands) title += (title.empty() ? "" : " | ") + command;
  return title;
}

std::int64_t seed_from_clock() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
             .count() %
         1'000'000;
}

}  // namespace

Result<RuleChanges> rule_changes(const CompareRequest& o) {
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

Result<ComparePlan> plan_of(const CompareRequest& o, const ReadTraining& read) {
  TACHO_CHECK(check_fits_together(o));
  ComparePlan plan;
  TACHO_TRY(changes, rule_changes(o));
  plan.rule = changed({}, changes);
  TACHO_CHECK(check(plan.rule));
  TACHO_TRY(axes, axes_of(o));
  if (axes.empty() || axes.back().size() < 2) {
    return usage(
        "a comparison needs two or more variants; add --env bare,podman, "
        "--vary batch=32,64, or a second --cmd");
  }
  TACHO_TRY(variants, combinations(axes, o, read));
  plan.variants = std::move(variants);
  plan.metrics = o.metrics;
  plan.title = title_of(o);
  plan.seed = o.seed.value_or(seed_from_clock());
  plan.include_disturbed = o.include_disturbed;
  return plan;
}

}  // namespace tacho
