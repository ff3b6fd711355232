#include "experiments/runner/restarts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/record/run_folder.h"
#include "experiments/runner/run_state.h"

namespace tacho {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::chrono::seconds kLongestEnd{10};
constexpr std::chrono::milliseconds kLookEvery{20};

// Where ranks run may differ between attempts.
RunSpec without_ranks(RunSpec spec) {
  spec.dist = {};
  return spec;
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
    const RunRecord& record = finished->record;
    if (!restarts.again(record.epochs.size() > epochs)) break;
    epochs = record.epochs.size();
    say(restarts.words(record.reason));
    finished = attempt(finished->id);
  }
  return finished;
}

Result<std::string> key_of_job(std::string_view job) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  if (!job.empty() && job.size() <= kLongestName && std::ranges::all_of(job, fits)) {
    return fmt::format("job-{}", job);
  }
  return Error{ErrorCode::usage,
               fmt::format("--job '{}': a name has 1 to {} characters of a-z, 0-9, '.', '_', '-'",
                           job, kLongestName)};
}

Result<std::optional<StoredRun>> run_of_job(RunStore& store, const RunOrder& order) {
  auto found = store.find(order.key);
  if (!found.ok() && found.error().code != ErrorCode::not_found) return found.error();
  // A handle may also be the beginning of a key.
  if (!found.ok() || found->row.key != order.key) return std::optional<StoredRun>();
  const std::string run = fmt::format("run {}", found->row.id);
  // The workers of a tacho that was killed take a moment to end.
  const auto deadline = std::chrono::steady_clock::now() + kLongestEnd;
  while (is_being_worked_on(RunFolder(found->row.folder)) &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kLookEvery);
  }
  TACHO_TRY(before, RunFolder(found->row.folder).read_order().in(run));
  if (!before.command && without_ranks(before.spec) == without_ranks(order.spec)) {
    return std::optional(*std::move(found));
  }
  return Error{ErrorCode::usage,
               fmt::format("{} of this job has other options; use another name for --job, or "
                           "remove it with 'tacho runs rm {}'",
                           run, found->row.id)};
}

}  // namespace tacho
