#include "lab/lab.h"

#include <fmt/format.h>

#include <chrono>
#include <system_error>

#include "base/file.h"
#include "data/locate_input.h"
#include "lab/event_tail.h"
#include "lab/gpu_tracing.h"
#include "lab/run_state.h"
#include "lab/worker_group.h"
#include "lab/worker_program.h"
#include "probe/usage_sampler.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLookEvery{100};

// What to say of workers that left no "end".
std::pair<Outcome, std::string> explain(const WorkerGroup& workers) {
  if (workers.asked_to_stop()) return {Outcome::cancelled, "stopped by the user"};
  return {Outcome::failed, workers.explain()};
}

std::size_t size_or_zero(const fs::path& file) {
  std::error_code missing;
  const auto size = fs::file_size(file, missing);
  return missing ? 0 : size;
}

}  // namespace

Result<FinishedRun> Lab::run(const RunOrder& order, const Standing& standing, RunView& view) {
  const RunSpec& spec = order.spec;
  TACHO_CHECK(check(spec));
  TACHO_TRY(launch, plan_launch(spec.dist, standing));
  if (!is_synthetic(spec)) TACHO_CHECK(locate_input(spec, home_));
  TACHO_TRY(worker, find_worker());
  TACHO_TRY(begun, begin(order));
  return supervise({begun.id, order, begun.folder, worker, launch}, view);
}

Result<Lab::Begun> Lab::begin(const RunOrder& order) {
  const RunFolder folder(home_ / "runs" / order.key);
  // A run that could not be stored never was: no folder is left behind.
  const auto undo = [&folder](const Error& error) {
    std::error_code ignored;
    fs::remove_all(folder.path(), ignored);
    return error;
  };
  if (const auto made = folder.create(order); !made.ok()) return undo(made.error());
  // Before the run is stored as running: reconcile() of another tacho must find it taken.
  auto lock = FileLock::take(folder.lock(), FileLock::Kind::shared);
  if (!lock.ok()) return undo(lock.error());
  const auto id = store_.put(fold(order, {}), folder.path());
  if (!id.ok()) return undo(id.error());
  return Begun{*id, folder, *std::move(lock)};
}

Result<RunOrder> Lab::ordered(std::string_view handle) {
  TACHO_TRY(stored, store_.find(handle));
  return RunFolder(stored.row.folder).read_order();
}

Result<FinishedRun> Lab::resume(std::string_view handle, const Standing& standing, RunView& view) {
  TACHO_TRY(stored, store_.find(handle));
  TACHO_TRY(worker, find_worker());
  const RunFolder folder(stored.row.folder);
  const std::int64_t id = stored.row.id;
  if (is_being_worked_on(folder)) {
    return Error{ErrorCode::usage, fmt::format("run {} is still running", id)};
  }
  if (stored.record.outcome == Outcome::ok) {
    return Error{ErrorCode::usage,
                 fmt::format("run {} is complete; there is nothing to resume", id)};
  }
  TACHO_TRY(order, folder.read_order().in(fmt::format("run {}", id)));
  if (order.command) {
    return Error{
        ErrorCode::usage,
        fmt::format("run {} is a program that was watched; start it again with 'tacho run'", id)};
  }
  TACHO_TRY(launch, plan_launch(order.spec.dist, standing));
  TACHO_TRY(lock, FileLock::take(folder.lock(), FileLock::Kind::shared));
  (void)lock;
  RunRecord record = stored.record;
  record.outcome = Outcome::running;
  record.reason.clear();
  TACHO_CHECK(store_.put(record, folder.path()));
  return supervise({id, order, folder, worker, launch}, view);
}

Result<FinishedRun> Lab::supervise(const Job& job, RunView& view) {
  const RunFolder& folder = job.folder;
  view.started(job.id, job.order);
  const std::size_t events_before = size_or_zero(folder.events());
  EventTail tail(folder.events(), events_before);
  const auto show_new = [&] {
    // A line that cannot be read is judged when the run is folded; the view goes without.
    const auto events = tail.read_new();
    if (!events.ok()) return;
    for (const Event& event : *events) view.event(event);
  };
  const auto finish = [&](Outcome outcome, const std::string& reason) -> Result<FinishedRun> {
    const bool said_nothing = size_or_zero(folder.events()) == events_before;
    TACHO_TRY(record, close_run(folder, outcome, reason));
    TACHO_TRY(same_id, store_.put(record, folder.path()));
    // The record tells of the attempts before; why this one never began would be lost.
    if (said_nothing && events_before > 0) {
      return Error{ErrorCode::failed, fmt::format("run {} could not go on: {}", job.id, reason)};
    }
    return FinishedRun{same_id, std::move(record)};
  };

  const GpuTracing tracing = job.order.spec.trace ? prepare_gpu_tracing(folder) : GpuTracing{};
  if (!tracing.problem.empty()) return finish(Outcome::failed, tracing.problem);
  auto workers =
      WorkerGroup::start({job.worker, home_, folder, job.launch,
                          WorkerGroup::patience_of(job.order.spec.dist), tracing.environment});
  if (!workers.ok()) return finish(Outcome::failed, workers.error().message);
  UsageWatch watch{.file = folder.usage()};
  for (const auto& [pid, nothing] : workers->usage()) watch.pids.push_back(pid);
  const auto sampler = UsageSampler::start(std::move(watch));
  while (!workers->wait_for(kLookEvery)) {
    workers->pass_on(interrupts_);
    show_new();
    view.tick();
  }
  show_new();
  for (const auto& [pid, used] : workers->usage()) sampler->ended(pid, used.value_or(ChildUsage{}));
  sampler->stop();
  const auto [outcome, reason] = explain(*workers);
  return finish(outcome, reason);
}

Result<FinishedRun> Lab::ingest(const fs::path& path) {
  std::error_code error;
  const RunFolder folder(fs::absolute(path, error).lexically_normal());
  TACHO_TRY(record, read_run(folder));
  TACHO_TRY(id, store_.put(record, folder.path()));
  return FinishedRun{id, std::move(record)};
}

Result<void> Lab::reconcile() {
  TACHO_TRY(rows, store_.unfinished());
  for (const RunRow& row : rows) {
    const RunFolder folder(row.folder);
    if (is_being_worked_on(folder)) continue;
    auto record = read_run(folder);
    if (!record.ok() && record.error().code == ErrorCode::newer) continue;
    if (!record.ok()) {
      // What the store knows is all there is.
      TACHO_TRY(stored, store_.find(std::to_string(row.id)));
      stored.record.outcome = Outcome::failed;
      stored.record.reason = "its folder can no longer be read: " + record.error().message;
      record = std::move(stored.record);
    }
    // A store that cannot be written (a full disk) can still be read; the next tacho tries again.
    (void)store_.put(*record, row.folder).ok();
  }
  return {};
}

}  // namespace tacho
