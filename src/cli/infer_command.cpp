#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>

#include "cli/commands.h"
#include "core/record/run_folder.h"
#include "experiments/runner/worker_program.h"
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

// Resolves 'last' to the last training: load tests are runs, too.
Result<std::string> trained_run(RunStore& store, const std::string& run) {
  if (run != "last") return run;
  TACHO_TRY(trained, parse_filter("data>"));
  TACHO_TRY(rows, store.list({.filters = {trained}, .limit = 1}));
  return rows.empty() ? run : rows.front().key;
}

// True for a run's folder, or a folder of weights that says which model they are of.
bool can_be_served(const std::filesystem::path& folder) {
  std::error_code unreadable;
  for (const char* name : {"spec.json", "model.json", "config.json"}) {
    if (std::filesystem::exists(folder / name, unreadable)) return true;
  }
  return false;
}

// Finds a run of the store, or takes a folder: a container has no store.
Result<std::filesystem::path> folder_of(const std::string& run, const Context& context) {
  std::error_code unreadable;
  if (can_be_served(run)) return std::filesystem::path(run);
  if (run.find('/') != std::string::npos || run == "." || run == "..") {
    return Error{ErrorCode::not_found,
                 fmt::format("{} is not a run's folder (no spec.json), nor one of Hugging Face (no "
                             "config.json); for other weights add a model.json such as "
                             R"({{"model": "resnet50", "labels": ["cat", "dog"]}})",
                             run)};
  }
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(trained, trained_run(store, run));
  TACHO_TRY(found, store.find(trained));
  if (std::filesystem::exists(found.row.folder, unreadable)) {
    return std::filesystem::path(found.row.folder);
  }
  return Error{ErrorCode::not_found,
               fmt::format("run {}: its folder {} no longer exists, and with it the model",
                           found.row.id, found.row.folder.string())};
}

// Replaces this process by the worker, which handles signals and sets the exit code.
Result<int> infer_for_user(const InferWords& o, const Context& context) {
  std::vector<std::string> argv = words_of(o);
  TACHO_TRY(options, infer::parse_infer_options(argv));
  (void)options;
  TACHO_TRY(folder, folder_of(o.run, context));
  TACHO_TRY(worker, find_worker());
  argv.insert(argv.begin(), {worker.string(), "infer", folder.string()});
  std::vector<char*> pointers;
  for (std::string& word : argv) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  context.say("Ctrl-C stops the server");
  ::execv(worker.c_str(), pointers.data());
  return Error{ErrorCode::failed, fmt::format("{}: {}", worker.string(), std::strerror(errno))};
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
      "image/jpeg or image/png. GET /health, /ready, /model and /metrics describe the server.\n"
      "\n"
      "The access token can also be set in TACHO_TOKEN. SIGTERM answers the waiting requests and "
      "ends with exit code 0, Ctrl-C with 130.");
  command->callback([o, &context] { context.run([&] { return infer_for_user(*o, context); }); });
}

}  // namespace tacho
