#include "lab/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/file.h"
#include "lab/run_state.h"
#include "lab/worker_program.h"
#include "record/run_secrets.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

Error cannot_meet(std::string why) { return {ErrorCode::usage, std::move(why)}; }

// Ranks in containers of their own see neither each other's processes nor, without the machine's
// network, each other.
Result<void> check_ranks(const RunOrder& order, const Launch& launch) {
  const EnvironmentSpec& environment = order.environment;
  if (launch.line_mbit && environment.kind != EnvironmentKind::bare) {
    return cannot_meet("--line-mbit is for bare runs: containers have networks of their own");
  }
  if (launch.places.size() < 2 || !has_daemon(environment.kind)) return {};
  if (environment.network == NetworkAccess::none) {
    return cannot_meet(
        "ranks in containers of their own cannot meet without a network; leave "
        "--env-network none out");
  }
  if (order.spec.dist.backend == DistBackend::shm) {
    return cannot_meet(
        "--backend shm: ranks in containers of their own cannot watch each other; "
        "leave it out, or take charliecloud or apptainer");
  }
  return {};
}

// Files of a folder that is gone on in are replaced, and old checkpoints removed: none of that may
// reach outside of it, as it would through a link in a folder that came from elsewhere.
Result<void> check_plain(const RunFolder& folder) {
  std::error_code failure;
  fs::recursive_directory_iterator at(folder.path(), failure);
  for (const fs::recursive_directory_iterator end; !failure && at != end; at.increment(failure)) {
    std::error_code gone;
    const fs::file_status status = at->symlink_status(gone);
    if (gone || fs::is_directory(status) || fs::is_regular_file(status)) continue;
    return Error{ErrorCode::usage,
                 fmt::format("{}: a link, a pipe or a device; a run whose folder holds one is not "
                             "resumed, remove it",
                             at->path().string())};
  }
  return {};
}

}  // namespace

Result<FinishedRun> Lab::run(const RunOrder& order, const Standing& standing, RunView& view) {
  TACHO_CHECK(check(order.spec));
  TACHO_TRY(means, prepare(order, folder_of(order), standing));
  TACHO_TRY(begun, begin(order));
  return supervise({begun.id, order, begun.folder, means}, view);
}

Result<Lab::Means> Lab::prepare(const RunOrder& order, const RunFolder& folder,
                                const Standing& standing) {
  TACHO_TRY(launch, plan_launch(order.spec.dist, standing));
  TACHO_CHECK(check_ranks(order, launch));
  TACHO_CHECK(check_possible(launch));
  TACHO_TRY(reads, files_read_by(order.spec, home_));
  TACHO_TRY(worker, choose_worker(order.environment.kind));
  TACHO_TRY(residence, Residence::open(order, folder, home_));
  return Means{std::move(launch), std::move(worker), std::move(reads), std::move(residence)};
}

Result<Lab::Begun> Lab::begin(const RunOrder& order) {
  const RunFolder folder = folder_of(order);
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
  const auto id = store_->put(fold(order, {}), folder.path());
  if (!id.ok()) return undo(id.error());
  return Begun{*id, folder, *std::move(lock)};
}

Result<std::int64_t> Lab::keep(const RunRecord& record, const RunFolder& folder) {
  if (store_ == nullptr) return std::int64_t{0};
  return store_->put(record, folder.path());
}

Result<RunRecord> Lab::take(const RunFolder& folder, RunView& view) {
  TACHO_TRY(order, read_true_order(folder));
  TACHO_TRY(lock, FileLock::take(folder.lock(), FileLock::Kind::shared));
  Begun begun{0, folder, std::move(lock)};
  // Whatever keeps it from beginning is its result, and not for the log alone.
  const auto refused = [&folder](const Error& error) {
    return close_run(folder, Outcome::failed, error.message);
  };
  if (order.command) {
    auto residence = Residence::open(order, folder, home_);
    if (!residence.ok()) return refused(residence.error());
    TACHO_TRY(watched, watch_begun(begun, order, *residence, false, view));
    return std::move(watched.run.record);
  }
  auto means = prepare(order, folder, {});
  if (!means.ok()) return refused(means.error());
  TACHO_TRY(finished, supervise({0, order, folder, *means}, view));
  return std::move(finished.record);
}

Result<RunOrder> Lab::ordered(std::string_view handle) {
  TACHO_TRY(stored, store_->find(handle));
  return RunFolder(stored.row.folder).read_order();
}

Result<FinishedRun> Lab::resume(std::string_view handle, const Standing& standing, RunView& view) {
  TACHO_TRY(stored, store_->find(handle));
  const RunFolder folder(stored.row.folder);
  const std::int64_t id = stored.row.id;
  if (is_being_worked_on(folder)) {
    return Error{ErrorCode::usage, fmt::format("run {} is still running", id)};
  }
  if (stored.record.outcome == Outcome::ok) {
    return Error{ErrorCode::usage,
                 fmt::format("run {} is complete; there is nothing to resume", id)};
  }
  TACHO_TRY(order, read_true_order(folder).in(fmt::format("run {}", id)));
  if (order.command) {
    return Error{
        ErrorCode::usage,
        fmt::format("run {} is a program that was watched; start it again with 'tacho run'", id)};
  }
  TACHO_CHECK(check_plain(folder));
  TACHO_TRY(means, prepare(order, folder, standing));
  TACHO_TRY(lock, FileLock::take(folder.lock(), FileLock::Kind::shared));
  (void)lock;
  RunRecord record = stored.record;
  record.outcome = Outcome::running;
  record.reason.clear();
  TACHO_CHECK(store_->put(record, folder.path()));
  return supervise({id, order, folder, means}, view);
}

Result<FinishedRun> Lab::ingest(const fs::path& path) {
  std::error_code error;
  const RunFolder folder(fs::absolute(path, error).lexically_normal());
  TACHO_TRY(record, read_run(folder));
  TACHO_TRY(id, store_->put(record, folder.path()));
  return FinishedRun{id, std::move(record)};
}

Result<void> Lab::reconcile() {
  TACHO_TRY(rows, store_->unfinished());
  // The oldest first: a run that was started within another can only be over once that is.
  std::ranges::sort(rows, {}, &RunRow::id);
  for (const RunRow& row : rows) {
    const RunFolder folder(row.folder);
    if (is_being_worked_on(folder)) continue;
    const auto order = folder.read_order();
    // The key is what the folder says. One from elsewhere may name a run that goes on here.
    if (order.ok() && !is_being_worked_on(folder_of(*order))) remove_leftovers(*order);
    auto record = read_run(folder);
    if (!record.ok() && record.error().code == ErrorCode::newer) continue;
    if (!record.ok()) {
      // What the store knows is all there is.
      TACHO_TRY(stored, store_->find(std::to_string(row.id)));
      stored.record.outcome = Outcome::failed;
      stored.record.reason = "its folder can no longer be read: " + record.error().message;
      record = std::move(stored.record);
    }
    // A store that cannot be written (a full disk) can still be read; the next tacho tries again.
    (void)store_->put(*record, row.folder).ok();
  }
  return {};
}

}  // namespace tacho
