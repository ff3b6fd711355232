#include "lab/worker_program.h"

#include <unistd.h>

#include <cstdlib>

#include "base/home.h"
#include "base/subprocess.h"

namespace tacho {
namespace {

// The worker's exit code for a question that makes no sense; it says why in one line.
constexpr int kRefused = 2;

Result<Json> ask(const std::filesystem::path& worker, const std::vector<std::string>& question,
                 std::chrono::milliseconds patience) {
  std::vector<std::string> argv = {worker.string()};
  argv.insert(argv.end(), question.begin(), question.end());
  TACHO_TRY(said, capture({.argv = std::move(argv)}, patience));
  const std::string complaint = said.err.substr(0, said.err.find('\n'));
  if (said.status.signal == 0 && said.status.code == kRefused) {
    return Error{ErrorCode::usage, complaint};
  }
  if (!said.status.success()) {
    return Error{ErrorCode::failed,
                 worker.string() + ": " + describe(said.status) + ": " + complaint};
  }
  return parse_json(said.out).in(worker.string());
}

}  // namespace

Result<std::filesystem::path> find_worker() {
  const char* chosen = std::getenv("TACHO_WORKER");
  const std::filesystem::path worker = chosen != nullptr && *chosen != '\0'
                                           ? std::filesystem::path(chosen)
                                           : program_folder() / "tacho-worker";
  if (::access(worker.c_str(), X_OK) == 0) return worker;
  return Error{
      ErrorCode::unavailable,
      worker.string() + " is not there, and nothing else can train; build it with script/build"};
}

Result<Json> describe_worker(const std::filesystem::path& worker) {
  constexpr std::chrono::seconds kPatience{60};
  return ask(worker, {"describe"}, kPatience);
}

Result<Json> describe_model(const std::filesystem::path& worker, const DescribeRequest& request) {
  constexpr std::chrono::minutes kPatience{30};  // large images on a slow machine
  return ask(worker, {"describe-model", json_text(to_json(request))}, kPatience);
}

}  // namespace tacho
