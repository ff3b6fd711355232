#include "lab/worker_program.h"

#include <unistd.h>

#include <cstdlib>

#include "base/home.h"
#include "base/subprocess.h"

namespace tacho {

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
  TACHO_TRY(said, capture({.argv = {worker.string(), "describe"}}, kPatience));
  if (!said.status.success()) {
    return Error{ErrorCode::failed, worker.string() + ": " + describe(said.status) + ": " +
                                        said.err.substr(0, said.err.find('\n'))};
  }
  return parse_json(said.out).in(worker.string());
}

}  // namespace tacho
