#include "cli/train_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "cli/dataset_list.h"
#include "cli/model_list.h"
#include "cli/usage_message.h"

namespace tacho {
namespace {

std::string value_name(const RunOption& option) {
  if (!option.value.empty()) return std::string(option.value);
  if (option.type == OptionType::integer) return "INT";
  return option.type == OptionType::number ? "FLOAT" : "TEXT";
}

std::string declared_name(const RunOption& option) {
  if (option.name == "model") return "model";
  if (option.letter.empty()) return fmt::format("--{}", option.name);
  return fmt::format("--{},-{}", option.name, option.letter);
}

void declare(CLI::App& command, const RunOption& option) {
  const std::string name = declared_name(option);
  const std::string help(option.help);
  CLI::Option* declared = nullptr;
  if (option.type == OptionType::flag) {
    declared = command.add_flag(name, help);
  } else {
    declared = command.add_option(
        name, [](const CLI::results_t&) { return true; }, help);
    declared->type_name(value_name(option))->default_str(option.default_text());
  }
  if (!option.group.empty()) declared->group(std::string(option.group));
  if (option.is(kRepeatable)) {
    declared->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->expected(1)
        ->allow_extra_args(false);
  }
}

}  // namespace

void declare_run_options(CLI::App& command, const std::function<bool(const RunOption&)>& wanted) {
  for (const RunOption& option : run_options()) {
    if (wanted(option)) declare(command, option);
  }
}

RunSettings given_settings(const CLI::App& command,
                           const std::function<bool(const RunOption&)>& wanted) {
  RunSettings settings;
  for (const RunOption& option : run_options()) {
    const std::string name = option.name == "model" ? "model" : fmt::format("--{}", option.name);
    const CLI::Option* declared = command.get_option_no_throw(name);
    if (declared == nullptr || !wanted(option)) continue;
    for (const std::string& value : declared->results()) settings.emplace_back(option.name, value);
  }
  return settings;
}

void declare(CLI::App& command, TrainOptions& o) {
  declare_run_options(command, any_option);
  command.footer(model_list() + "\n" + dataset_list());
  command.add_option("--resume", o.resume, "continue a stopped run with its options")
      ->type_name("RUN");
  command
      .add_option("--checkpoint", o.checkpoint,
                  "checkpoint that --resume continues from: last, or best (default: last)")
      ->type_name("WHICH")
      ->needs("--resume");
  command
      .add_option("--job", o.job,
                  "name of this training: continue it if it was interrupted, else begin it")
      ->type_name("NAME")
      ->excludes("--resume");
  command
      .add_option("--max-restarts", o.max_restarts,
                  "after a failure, start again from the last checkpoint, this often in a row "
                  "without a finished epoch")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}))
      ->capture_default_str();
  command.add_option("--settings", o.settings)->group("");
  command.option_defaults()->group("Distributed training");
  declare(command, o.ranks);
  command.option_defaults()->group("Output");
  command.add_flag("--json", o.json, "print JSON");
  command.add_flag("--mllog", o.mllog, "print MLPerf :::MLLOG lines")->excludes("--json");
}

Result<RunSettings> settings_of(const CLI::App& command, const TrainOptions& o) {
  RunSettings settings = given_settings(command, any_option);
  if (o.settings.empty()) return settings;
  TACHO_TRY(json, parse_json(o.settings).in("--settings"));
  for (const Json& pair : json.is_array() ? json : Json::array({nullptr})) {
    const bool valid =
        pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_string();
    if (!valid) return Error{ErrorCode::usage, "--settings takes [[\"NAME\", \"VALUE\"], …]"};
    settings.emplace_back(pair[0].get<std::string>(), pair[1].get<std::string>());
  }
  return settings;
}

Result<RunSettings> read_train_words(std::span<const std::string> words) {
  CLI::App command("", "train");
  command.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  declare_run_options(command, any_option);
  try {
    // CLI11 expects them in reverse order.
    command.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& problem) {
    return Error{ErrorCode::usage, "train: " + usage_message(command, problem)};
  }
  return given_settings(command, any_option);
}

}  // namespace tacho
