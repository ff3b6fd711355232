#include "experiments/runner/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/file.h"
#include "core/record/checkpoint_files.h"
#include "core/record/run_secrets.h"
#include "experiments/runner/run_state.h"
#include "experiments/runner/worker_program.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

Error ranks_error(std::string why) { return {ErrorCode::usage, std::move(why)}; }

// Ranks in separate containers do not see each other's processes, and without the machine's network
// they cannot connect.
Result<void> check_ranks(const RunOrder& order, const Launch& launch) {
  const EnvironmentSpec& environment = order.environment;
  if (launch.line_mbit && environment.kind != EnvironmentKind::bare) {
    return ranks_error("--line-mbit is for bare runs: containers have separate networks");
  }
  if (launch.places.size() < 2 || !has_daemon(environment.kind)) return {};
  if (environment.network == NetworkAccess::none) {
    return ranks_error(
        "ranks in separate containers cannot connect without a network; leave "
        "--env-network none out");
  }
  if (order.spec.dist.backend == DistBackend::shm) {
    return ranks_error(
        "--backend shm: ranks in separate containers cannot see each other's processes; "
        "leave it out, or use charliecloud or apptainer");
  }
  return {};
}

// Resuming replaces files and removes old checkpoints. A link in a folder from another machine
// could redirect that to files outside the folder.
Result<void> check_plain(const RunFolder& folder) {
  std::error_code failure;
  fs::recursive_directory_iterator at(folder.path(), failure);
  for (const fs::recursive_directory_iterator end; !failure && at != end; at.increment(failure)) {
    std::error_code gone;
    const fs::file_status status = at->symlink_status(gone);
    if (gone || fs::is_directory(status) || fs::is_regular_file(status)) continue;
    return Error{ErrorCode::usage,
                 fmt::format("{} is a link, a pipe or a device; remove it to resume the run",
                             at->path().string())};
  }
  return {};
}

}  // namespace

Result<FinishedRun> Runner::run(const RunOrder& order, const Standing& standing, RunView& view) {
  TACHO_CHECK(check(order.spec));
  TACHO_TRY(prepared, prepare(order, folder_of(order), standing));
  TACHO_TRY(begun, begin(order));
  if (hook_ != nullptr) hook_->before(order);
  auto finished = supervise({begun.id, order, begun.folder, prepared}, view);
  if (hook_ != nullptr) hook_->after();
  return finished;
}

Result<Runner::Prepared> Runner::prepare(const RunOrder& order, const RunFolder& folder,
                                         const Standing& standing) {
  TACHO_TRY(launch, plan_launch(order.spec.dist, standing));
  TACHO_CHECK(check_ranks(order, launch));
  TACHO_CHECK(check_possible(launch));
  TACHO_TRY(reads, files_read_by(order.spec, home_));
  TACHO_TRY(worker, choose_worker(order.environment.kind));
  TACHO_TRY(container, RunContainer::open(order, folder, home_));
  return Prepared{std::move(launch), std::move(worker), std::move(reads), std::move(container)};
}

Result<Runner::Begun> Runner::begin(const RunOrder& order) {
  const RunFolder folder = folder_of(order);
  // Removes the folder of a run that could not be stored.
  const auto undo = [&folder](const Error& error) {
    std::error_code ignored;
    fs::remove_all(folder.path(), ignored);
    return error;
  };
  if (const auto made = folder.create(order); !made.ok()) return undo(made.error());
  // Locks it before it is stored as running, so that reconcile() of another tacho skips it.
  auto lock = own_run(folder);
  if (!lock.ok()) return undo(lock.error());
  const auto id = store_->put(fold(order, {}), folder.path());
  if (!id.ok()) return undo(id.error());
  return Begun{*id, folder, *std::move(lock)};
}

Result<std::int64_t> Runner::keep(const RunRecord& record, const RunFolder& folder) {
  if (store_ == nullptr) return std::int64_t{0};
  return store_->put(record, folder.path());
}

Result<RunRecord> Runner::take(const RunFolder& folder, RunView& view) {
  TACHO_TRY(order, read_true_order(folder));
  TACHO_TRY(lock, own_run(folder));
  Begun begun{0, folder, std::move(lock)};
  // An error before the start is the result of the run, not only a line in the log.
  const auto refused = [&folder](const Error& error) {
    return close_run(folder, Outcome::failed, error.message);
  };
  if (order.command) {
    auto container = RunContainer::open(order, folder, home_);
    if (!container.ok()) return refused(container.error());
    TACHO_TRY(watched, watch_begun(begun, order, *container, false, view));
    return std::move(watched.run.record);
  }
  auto prepared = prepare(order, folder, {});
  if (!prepared.ok()) return refused(prepared.error());
  TACHO_TRY(finished, supervise({0, order, folder, *prepared}, view));
  return std::move(finished.record);
}

Result<RunOrder> Runner::ordered(std::string_view handle) {
  TACHO_TRY(stored, store_->find(handle));
  return RunFolder(stored.row.folder).read_order();
}

Result<FinishedRun> Runner::resume(std::string_view handle, const Standing& standing, RunView& view,
                                   CheckpointKind from) {
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
    return Error{ErrorCode::usage,
                 fmt::format("run {} is a watched program; start it again with 'tacho run'", id)};
  }
  TACHO_CHECK(check_plain(folder));
  TACHO_TRY(prepared, prepare(order, folder, standing));
  TACHO_TRY(lock, own_run(folder));
  (void)lock;
  if (from == CheckpointKind::best) {
    TACHO_CHECK(return_to_best_checkpoint(folder).in(fmt::format("run {}", id)));
  }
  RunRecord record = stored.record;
  record.outcome = Outcome::running;
  record.reason.clear();
  TACHO_CHECK(store_->put(record, folder.path()));
  return supervise({id, order, folder, prepared}, view);
}

Result<FinishedRun> Runner::ingest(const fs::path& path) {
  std::error_code error;
  const RunFolder folder(fs::absolute(path, error).lexically_normal());
  TACHO_TRY(record, read_run(folder));
  TACHO_TRY(id, store_->put(record, folder.path()));
  return FinishedRun{id, std::move(record)};
}

Result<bool> Runner::remove(const RunRow& row, bool keep_files) {
  const bool with_folder = !keep_files && row.folder.parent_path() == home_ / "runs";
  // Before the row: a full disk has no space to change it.
  std::error_code error;
  if (with_folder) fs::remove_all(row.folder, error);
  if (error) {
    return Error{ErrorCode::io, fmt::format("run {} was not removed: {}: {}", row.id,
                                            row.folder.string(), error.message())};
  }
  if (!store_->remove(row.id).ok()) {
    // The full disk may have made the store read-only; now there is space.
    TACHO_TRY(reopened, RunStore::open(home_ / "tacho.db"));
    *store_ = std::move(reopened);
    TACHO_CHECK(store_->remove(row.id));
  }
  return with_folder;
}

Result<void> Runner::reconcile() {
  TACHO_TRY(rows, store_->unfinished());
  // Oldest first: a run that was started inside another can only be over once that is.
  std::ranges::sort(rows, {}, &RunRow::id);
  for (const RunRow& row : rows) {
    const RunFolder folder(row.folder);
    if (is_being_worked_on(folder)) continue;
    const auto order = folder.read_order();
    // The key comes from the folder; in a copied folder it may be that of a run that is running
    // here.
    if (order.ok() && !is_being_worked_on(folder_of(*order))) remove_leftovers(*order);
    auto record = read_run(folder);
    if (!record.ok() && record.error().code == ErrorCode::newer) continue;
    if (!record.ok()) {
      // Only the record in the store is left.
      TACHO_TRY(stored, store_->find(std::to_string(row.id)));
      stored.record.outcome = Outcome::failed;
      stored.record.reason = "its folder is unreadable: " + record.error().message;
      record = std::move(stored.record);
    }
    // If the store cannot be written (disk full), the next tacho tries again.
    (void)store_->put(*record, row.folder).ok();
  }
  return {};
}

}  // namespace tacho
