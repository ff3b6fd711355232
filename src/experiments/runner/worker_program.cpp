#include "experiments/runner/worker_program.h"

#include <unistd.h>

#include <cstdlib>

#include "base/home.h"
#include "base/subprocess.h"
#include "training/data/locate_input.h"

namespace tacho {
namespace {

// Exit code of the worker for an invalid request; it prints the reason in one line.
constexpr int kInvalidRequest = 2;

Result<Json> query(const std::filesystem::path& worker, const std::vector<std::string>& arguments,
                   std::chrono::milliseconds timeout) {
  std::vector<std::string> argv = {worker.string()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  TACHO_TRY(output, capture({.argv = std::move(argv)}, timeout));
  const std::string complaint = output.err.substr(0, output.err.find('\n'));
  if (output.status.signal == 0 && output.status.code == kInvalidRequest) {
    return Error{ErrorCode::usage, complaint};
  }
  if (!output.status.success()) {
    return Error{ErrorCode::failed,
                 worker.string() + ": " + describe(output.status) + ": " + complaint};
  }
  return parse_json(output.out).in(worker.string());
}

const char* chosen_worker() {
  const char* chosen = std::getenv("TACHO_WORKER");
  return chosen != nullptr && *chosen != '\0' ? chosen : nullptr;
}

}  // namespace

Result<std::filesystem::path> find_worker() {
  const char* chosen = chosen_worker();
  const std::filesystem::path worker =
      chosen != nullptr ? std::filesystem::path(chosen) : program_folder() / "tacho-worker";
  if (::access(worker.c_str(), X_OK) == 0) return worker;
  return Error{
      ErrorCode::unavailable,
      worker.string() +
          " is missing, and training needs it; install Tacho's wheel tacho-worker, build it "
          "from source with script/build, or name one in TACHO_WORKER"};
}

Result<WorkerChoice> choose_worker(EnvironmentKind kind) {
  const auto ours = find_worker();
  if (!ours.ok() && (kind == EnvironmentKind::bare || chosen_worker() != nullptr)) {
    return ours.error();
  }
  if (!ours.ok()) return WorkerChoice{"tacho-worker", "", {}};
  const std::string path = std::filesystem::absolute(*ours).lexically_normal().string();
  if (kind == EnvironmentKind::bare) return WorkerChoice{path, "", {}};
  if (chosen_worker() != nullptr) return WorkerChoice{path, "", {path}};
  return WorkerChoice{"tacho-worker", path, {path}};
}

Result<std::vector<std::filesystem::path>> files_read_by(const RunSpec& spec,
                                                         const std::filesystem::path& home) {
  std::vector<std::filesystem::path> files;
  if (!is_synthetic(spec)) {
    TACHO_TRY(input, locate_input(spec, home));
    files.push_back(input.folder);
  }
  for (const std::string& file : {spec.weights, spec.vocabulary}) {
    if (!file.empty()) files.emplace_back(file);
  }
  return files;
}

Result<Json> describe_worker(const std::filesystem::path& worker) {
  constexpr std::chrono::minutes kPatience{5};  // starting torch beside busy programs
  return query(worker, {"describe"}, kPatience);
}

Result<Json> describe_model(const std::filesystem::path& worker, const DescribeRequest& request) {
  constexpr std::chrono::minutes kPatience{30};  // large images on a slow machine
  return query(worker, {"describe-model", json_text(to_json(request))}, kPatience);
}

}  // namespace tacho
