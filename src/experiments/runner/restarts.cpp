#include "experiments/runner/restarts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/hmac.h"
#include "core/record/run_folder.h"
#include "experiments/runner/run_state.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 64;
constexpr std::chrono::seconds kLongestEnd{60};
constexpr std::chrono::milliseconds kLookEvery{20};

// What has to be equal: everything except the number of ranks, and the values of environment
// variables, which are not in the record.
RunOrder fixed(RunOrder order) {
  DistSpec& dist = order.spec.dist;
  dist.ranks_per_node = DistSpec().ranks_per_node;
  dist.nodes = DistSpec().nodes;
  if (order.spec.accumulate_samples) order.spec.accumulate = RunSpec().accumulate;
  order.environment.variables.clear();
  return order;
}

bool have_equal_options(const RunOrder& one, const RunOrder& other) {
  const RunOrder a = fixed(one);
  const RunOrder b = fixed(other);
  return !a.command && a.spec == b.spec && a.environment == b.environment &&
         a.time_limit_s == b.time_limit_s;
}

}  // namespace

std::string Restarts::words(std::string_view reason) const {
  return fmt::format("restart {} of {}: {}", in_a_row_, most_, reason);
}

Result<FinishedRun> train_with_restarts(
    std::int64_t most,
    const std::function<Result<FinishedRun>(std::optional<std::int64_t>)>& attempt,
    const std::function<void(const std::string&)>& say) {
  Restarts restarts(most);
  std::size_t epochs = 0;
  auto finished = attempt({});
  while (finished.ok() && finished->record.outcome == Outcome::failed) {
    bool progress = finished->record.epochs.size() > epochs;
    epochs = finished->record.epochs.size();
    std::string why = finished->record.reason;
    auto next = finished;
    do {
      if (!restarts.again(progress)) return finished;
      say(restarts.words(why));
      next = attempt(finished->id);
      progress = false;
      if (!next.ok()) why = next.error().message;
    } while (!next.ok() && next.error().code == ErrorCode::failed);  // it could not even begin
    finished = std::move(next);
  }
  return finished;
}

Result<std::string> key_of_job(std::string_view job, const fs::path& home) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  if (job.empty() || job.size() > kLongestName || !std::ranges::all_of(job, fits)) {
    return Error{ErrorCode::usage,
                 fmt::format("--job '{}': a name has 1 to {} characters of a-z, 0-9, '_', '-'", job,
                             kLongestName)};
  }
  // Processes are found by the key, which must differ between homes.
  return fmt::format("job-{}-{}", job, hmac_sha256_hex("job", home.string()).substr(0, 8));
}

Result<std::optional<FinishedRun>> run_of_job(RunStore& store, const fs::path& home,
                                              const RunOrder& order) {
  const RunFolder folder(home / "runs" / order.key);
  std::error_code hidden;
  if (!fs::exists(folder.order(), hidden)) return std::optional<FinishedRun>();
  const auto deadline = std::chrono::steady_clock::now() + kLongestEnd;
  while (is_being_worked_on(folder) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kLookEvery);
  }
  TACHO_TRY(before, folder.read_order());
  TACHO_TRY(record, read_run(folder));
  TACHO_TRY(id, store.put(record, folder.path()));
  if (have_equal_options(before, order)) return std::optional(FinishedRun{id, std::move(record)});
  return Error{ErrorCode::usage,
               fmt::format("run {0} of this job has other options; use another name for --job, or "
                           "remove it with 'tacho runs rm {0}'",
                           id)};
}

}  // namespace tacho
