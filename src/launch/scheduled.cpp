#include "launch/scheduled.h"

#include <poll.h>

#include <algorithm>

#include "launch/task_list.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kBetweenFolderLooks{100};

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
                 folder.path().string() + ": there is no batch; it was never submitted"};
  }
  TACHO_TRY(keys, folder.keys());
  Known made{.batch = {folder, unique_name(folder_, batch), keys}, .ended = {}};
  made.ended.resize(keys.size());
  made.answer.resize(keys.size());
  return &known_.emplace(batch, std::move(made)).first->second;
}

// A tacho that was killed between handing over and noting it leaves a batch without a job's name.
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
  auto handed = hand_over(made, tasks);
  if (!handed.ok()) {
    // Where it is not sure that it was refused, the next submit() will find out.
    if (handed.error().code == ErrorCode::usage) TACHO_CHECK(forget(batch));
    return handed.error();
  }
  return folder.set_job(*handed);
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

Result<ScheduledLauncher::Answer> ScheduledLauncher::answer_for(const Batch& batch) {
  TACHO_TRY(job, job_of(batch));
  if (!job) return Answer(batch.keys.size());
  return ask(batch, *job);
}

Result<void> ScheduledLauncher::ask_again(Known& known) {
  if (!known.asked || Clock::now() - *known.asked >= between_questions_) {
    auto answer = answer_for(known.batch);
    known.asked = Clock::now();
    known.silence = answer.ok() ? std::nullopt : std::optional(answer.error());
    if (answer.ok()) known.answer = *std::move(answer);
  }
  if (known.silence) return *known.silence;
  // What ended while the scheduler was asked has left word now.
  return read_ends(known);
}

TaskNews ScheduledLauncher::news(const Known& known, std::size_t index) {
  const std::string& key = known.batch.keys[index];
  if (known.ended[index]) return news_of(key, *known.ended[index]);
  const bool cancelled = known.batch.folder.is_cancelled(index);
  const auto& answer = known.answer[index];
  // A scheduler forgets a cancelled task that had not begun.
  const bool gone = !answer || answer->state == TaskState::lost;
  if (gone && cancelled) {
    return news_of(key, {.ended_by = EndedBy::cancel, .reason = "was cancelled"});
  }
  if (!answer) {
    return {.key = key,
            .state = TaskState::lost,
            .reason = "the scheduler does not know it any more, and it left no word"};
  }
  TaskNews said = *answer;
  said.key = key;
  if (cancelled && said.state == TaskState::ended) said.ended_by = EndedBy::cancel;
  return said;
}

Result<std::vector<TaskNews>> ScheduledLauncher::poll(const std::string& batch) {
  TACHO_TRY(known_batch, known(batch));
  TACHO_CHECK(read_ends(*known_batch));
  const auto& ended = known_batch->ended;
  const bool all = std::all_of(ended.begin(), ended.end(), [](const auto& e) { return e; });
  if (!all) TACHO_CHECK(ask_again(*known_batch));
  std::vector<TaskNews> all_news;
  for (std::size_t i = 0; i < ended.size(); ++i) all_news.push_back(news(*known_batch, i));
  return all_news;
}

Result<void> ScheduledLauncher::cancel_indices(Known& known, std::span<const std::size_t> indices) {
  const Batch& batch = known.batch;
  for (const std::size_t index : indices) TACHO_CHECK(batch.folder.mark_cancelled(index));
  known.asked.reset();
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
    const bool meant =
        std::find(keys.begin(), keys.end(), known_batch->batch.keys[i]) != keys.end();
    if (meant && !known_batch->ended[i]) indices.push_back(i);
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
    return folder_of(batch).remove();  // what create() left unfinished
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
    const auto pause = std::clamp(left, std::chrono::milliseconds(0), kBetweenFolderLooks);
    // Not sleep_for(), which goes on after a signal.
    if (pause.count() == 0 || ::poll(nullptr, 0, static_cast<int>(pause.count())) < 0) return;
  }
}

}  // namespace tacho
