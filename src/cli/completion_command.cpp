#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/names.h"
#include "cli/commands.h"
#include "data/catalog.h"
#include "record/dist_spec.h"
#include "record/model_catalog.h"
#include "record/precision.h"

namespace tacho {
namespace {

std::string words_of(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::App* sub : command.get_subcommands({})) {
    if (!sub->get_group().empty()) words.push_back(sub->get_name());  // others are for programs
  }
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return fmt::format("{}", fmt::join(words, " "));
}

using Paths = std::vector<std::pair<std::string, std::string>>;  // words so far, what may follow

void add_paths(const CLI::App& command, const std::string& path, Paths& out) {
  std::string words = words_of(command);
  if (path == "tacho train" || path == "tacho describe")
    words += fmt::format(" {}", fmt::join(model_names(), " "));
  const bool names_a_dataset =
      path == "tacho data get" || path == "tacho data prepare" || path == "tacho data verify";
  if (names_a_dataset) words += fmt::format(" {}", fmt::join(dataset_names(), " "));
  out.emplace_back(path, words);
  for (const CLI::App* sub : command.get_subcommands({})) {
    add_paths(*sub, path + " " + sub->get_name(), out);
  }
}

// Made from the program's own options, so that it cannot fall behind them.
std::string bash_script(const CLI::App& app) {
  Paths paths;
  add_paths(app, "tacho", paths);
  std::string known;
  std::string cases;
  for (const auto& [path, words] : paths) {
    known += fmt::format("{}'{}'", known.empty() ? "" : "|", path);
    cases += fmt::format("        '{}') words='{}' ;;\n", path, words);
  }
  return fmt::format(R"(# bash completion for tacho; load it with:  source <(tacho completion bash)
_tacho() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local path=tacho words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${{COMP_WORDS[i]}}" in
      {}) path+=" ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case $previous in
    --data|-d) words='{}' ;;
    --optimizer) words='{}' ;;
    --schedule) words='{}' ;;
    --device) words='{}' ;;
    --mkldnn|--augment|--channels-last|--graphs) words='{}' ;;
    --precision) words='{}' ;;
    --backend) words='{}' ;;
    --compress) words='{}' ;;
    --lr-scale) words='{}' ;;
    --data-dir|--from|--output|-o|--vocab|--weights) COMPREPLY=($(compgen -f -- "$current")); return ;;
    *)
      case $path in
{}      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -F _tacho tacho
)",
                     known, fmt::join(dataset_names(), " "), fmt::join(kOptimizers.all(), " "),
                     fmt::join(kSchedules.all(), " "), fmt::join(kDevices.all(), " "),
                     fmt::join(kSwitches.all(), " "), fmt::join(kPrecisions.all(), " "),
                     fmt::join(kDistBackends.all(), " "), fmt::join(kCompressions.all(), " "),
                     fmt::join(kRateScalings.all(), " "), cases);
}

}  // namespace

void add_completion_command(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("completion", "print a script that completes tacho's words");
  auto shell = std::make_shared<std::string>("bash");
  command->add_option("shell", *shell, "bash")->capture_default_str();
  command->callback([=, &app, &context] {
    context.run([&]() -> Result<int> {
      if (*shell != "bash") {
        return Error{ErrorCode::usage,
                     fmt::format("no completion for {}; there is one for bash", *shell)};
      }
      context.print(bash_script(app));
      return kSuccess;
    });
  });
}

}  // namespace tacho
