#include "cli/served_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "experiments/runner/worker_program.h"

namespace tacho {
namespace {

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

}  // namespace

Result<std::filesystem::path> served_folder(const std::string& run, const Context& context) {
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

Error become_worker(std::vector<std::string> words) {
  const auto worker = find_worker();
  if (!worker.ok()) return worker.error();
  words.insert(words.begin(), worker->string());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(worker->c_str(), pointers.data());
  return {ErrorCode::failed, fmt::format("{}: {}", worker->string(), std::strerror(errno))};
}

}  // namespace tacho
