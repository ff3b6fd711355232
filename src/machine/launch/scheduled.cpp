#include "machine/launch/scheduled.h"

#include <poll.h>

#include <algorithm>

#include "machine/launch/task_list.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kFolderPollInterval{100};

fs::file_time_type changed(const fs::path& folder) {
  std::error_code problem;
  const auto time = fs::last_write_time(folder, problem);
  return problem ? fs::file_time_type{} : time;
}

}  // namespace

BatchFolder ScheduledLauncher::folder_of(const std::string& batch) const {
  return BatchFolder(fs::absolute(folder_) / batch);
}

Result<ScheduledLauncher::Known*> ScheduledLauncher::known(const std::string& batch) {
  const auto found = known_.find(batch);
  if (found != known_.end()) return &found->second;
  TACHO_CHECK(check_batch_name(batch));
  const BatchFolder folder = folder_of(batch);
  if (!folder.exists()) {
    return Error{ErrorCode::not_found,
                 folder.path().string() + ": no batch; it was never submitted"};
  }
  TACHO_TRY(keys, folder.keys());
  TACHO_TRY(name, folder.name());
  Known made{.batch = {folder, name, keys}, .ended = {}};
  made.ended.resize(keys.size());
  made.updates.resize(keys.size());
  return &known_.emplace(batch, std::move(made)).first->second;
}

// A tacho process that was killed between submitting and set_job() leaves a batch without a job id.
Result<std::optional<std::string>> ScheduledLauncher::job_of(const Batch& batch) {
  if (auto job = batch.folder.job()) return job;
  TACHO_TRY(job, find(batch));
  if (job) TACHO_CHECK(batch.folder.set_job(*job));
  return job;
}

Result<void> ScheduledLauncher::submit(const std::string& batch, std::span<const Task> tasks) {
  TACHO_CHECK(check_batch(batch, tasks));
  const BatchFolder folder = folder_of(batch);
  if (!folder.exists()) TACHO_CHECK(folder.create(tasks));
  TACHO_TRY(known_batch, known(batch));
  const Batch& made = known_batch->batch;
  TACHO_TRY(job, job_of(made));
  if (job) return {};
  auto submitted = submit_job(made, tasks);
  if (!submitted.ok()) {
    // If it is uncertain whether it was refused, the next submit() will find out.
    if (submitted.error().code == ErrorCode::usage) TACHO_CHECK(forget(batch));
    return submitted.error();
  }
  return folder.set_job(*submitted);
}

Result<void> ScheduledLauncher::read_ends(Known& known) {
  known.seen = changed(known.batch.folder.ended_folder());
  for (std::size_t i = 0; i < known.ended.size(); ++i) {
    if (known.ended[i]) continue;
    TACHO_TRY(status, known.batch.folder.status(i));
    known.ended[i] = status;
  }
  return {};
}

Result<ScheduledLauncher::Updates> ScheduledLauncher::query_job(const Batch& batch) {
  TACHO_TRY(job, job_of(batch));
  if (!job) return Updates(batch.keys.size());
  return query(batch, *job);
}

Result<void> ScheduledLauncher::refresh(Known& known) {
  if (!known.queried || Clock::now() - *known.queried >= poll_interval_) {
    auto updates = query_job(known.batch);
    known.queried = Clock::now();
    known.last_error = updates.ok() ? std::nullopt : std::optional(updates.error());
    if (updates.ok()) known.updates = *std::move(updates);
  }
  if (known.last_error) return *known.last_error;
  // Tasks that ended during the query have written their status by now.
  return read_ends(known);
}

TaskUpdate ScheduledLauncher::task_update(const Known& known, std::size_t index) {
  const std::string& key = known.batch.keys[index];
  if (known.ended[index]) return update_of(key, *known.ended[index]);
  const bool cancelled = known.batch.folder.is_cancelled(index);
  const auto& found = known.updates[index];
  // A scheduler forgets a cancelled task that had not started.
  const bool gone = !found || found->state == TaskState::lost;
  if (gone && cancelled) {
    return update_of(key, {.ended_by = EndedBy::cancel, .reason = "was cancelled"});
  }
  if (!found) {
    return {.key = key,
            .state = TaskState::lost,
            .reason = "the scheduler no longer knows it, and it left no status"};
  }
  TaskUpdate update = *found;
  update.key = key;
  if (cancelled && update.state == TaskState::ended) update.ended_by = EndedBy::cancel;
  return update;
}

Result<std::vector<TaskUpdate>> ScheduledLauncher::poll(const std::string& batch) {
  TACHO_TRY(known_batch, known(batch));
  TACHO_CHECK(read_ends(*known_batch));
  const auto& ended = known_batch->ended;
  const bool all = std::all_of(ended.begin(), ended.end(), [](const auto& e) { return e; });
  if (!all) TACHO_CHECK(refresh(*known_batch));
  std::vector<TaskUpdate> updates;
  for (std::size_t i = 0; i < ended.size(); ++i) updates.push_back(task_update(*known_batch, i));
  return updates;
}

Result<void> ScheduledLauncher::cancel_indices(Known& known, std::span<const std::size_t> indices) {
  const Batch& batch = known.batch;
  for (const std::size_t index : indices) TACHO_CHECK(batch.folder.mark_cancelled(index));
  known.queried.reset();
  TACHO_TRY(job, job_of(batch));
  if (!job || indices.empty()) return {};
  if (indices.size() == batch.keys.size()) return end_batch(batch, *job);
  return end_tasks(batch, *job, indices);
}

Result<void> ScheduledLauncher::cancel(const std::string& batch,
                                       std::span<const std::string> keys) {
  TACHO_TRY(known_batch, known(batch));
  TACHO_CHECK(read_ends(*known_batch));
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < known_batch->batch.keys.size(); ++i) {
    const bool selected =
        std::find(keys.begin(), keys.end(), known_batch->batch.keys[i]) != keys.end();
    if (selected && !known_batch->ended[i]) indices.push_back(i);
  }
  return cancel_indices(*known_batch, indices);
}

Result<void> ScheduledLauncher::cancel_all(const std::string& batch) {
  TACHO_TRY(known_batch, known(batch));
  const std::vector<std::string> keys = known_batch->batch.keys;
  return cancel(batch, keys);
}

Result<void> ScheduledLauncher::forget(const std::string& batch) {
  const auto known_batch = known(batch);
  if (!known_batch.ok() && known_batch.error().code == ErrorCode::not_found) {
    return folder_of(batch).remove();  // an incomplete create()
  }
  if (!known_batch.ok()) return known_batch.error();
  const Batch made = (*known_batch)->batch;
  TACHO_TRY(job, job_of(made));
  if (job) TACHO_CHECK(end_batch(made, *job));
  known_.erase(batch);
  return made.folder.remove();
}

void ScheduledLauncher::wait(std::chrono::milliseconds time) {
  const auto until = Clock::now() + time;
  while (true) {
    for (const auto& [name, known] : known_) {
      if (changed(known.batch.folder.ended_folder()) != known.seen) return;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    const auto pause = std::clamp(left, std::chrono::milliseconds(0), kFolderPollInterval);
    // Not sleep_for(), which continues after a signal.
    if (pause.count() == 0 || ::poll(nullptr, 0, static_cast<int>(pause.count())) < 0) return;
  }
}

}  // namespace tacho
