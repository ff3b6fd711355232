#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "cli/commands.h"
#include "cli/served_folder.h"
#include "serving/infer/options.h"

namespace tacho {
namespace {

struct InferWords {
  std::string run;
  std::map<std::string, std::vector<std::string>> values;
  std::map<std::string, bool> flags;
};

// Rebuilds the words of the options, for the worker.
std::vector<std::string> words_of(const InferWords& o) {
  std::vector<std::string> words;
  for (const auto& [name, values] : o.values) {
    for (const std::string& value : values) words.insert(words.end(), {name, value});
  }
  for (const auto& [name, given] : o.flags) {
    if (given) words.push_back(name);
  }
  return words;
}

Result<int> infer_for_user(const InferWords& o, const Context& context) {
  std::vector<std::string> words = words_of(o);
  TACHO_TRY(options, infer::parse_infer_options(words));
  (void)options;
  TACHO_TRY(folder, served_folder(o.run, context));
  words.insert(words.begin(), {"infer", folder.string()});
  context.say("Ctrl-C stops the server");
  return become_worker(std::move(words));
}

}  // namespace

void add_infer_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("infer", "serve a trained model over HTTP");
  auto o = std::make_shared<InferWords>();
  command
      ->add_option(
          "run", o->run,
          "id or key of a run, or 'last', or a folder: of a run, of Hugging Face, or with a "
          "model.json")
      ->required();
  for (const infer::OptionInfo& option : infer::infer_options()) {
    const std::string name(option.name);
    if (option.value.empty()) {
      command->add_flag(name, o->flags[name], std::string(option.help));
    } else {
      command->add_option(name, o->values[name], std::string(option.help))
          ->type_name(std::string(option.value))
          ->expected(1)
          ->take_all();
    }
  }
  command->footer(
      "POST /predict takes {\"text\": [\"…\"]}, {\"images\": [\"base64\"]} or a body of type "
      "image/jpeg or image/png. A language model answers POST /v1/completions, as OpenAI's API "
      "does: {\"prompt\": \"…\", \"max_tokens\": 50}. GET /health, /ready, /model and /metrics "
      "describe the server.\n"
      "\n"
      "The access token can also be set in TACHO_TOKEN. SIGTERM answers the waiting requests and "
      "ends with exit code 0, Ctrl-C with 130.");
  command->callback([o, &context] { context.run([&] { return infer_for_user(*o, context); }); });
}

}  // namespace tacho
