#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "machine/launch/launcher.h"
#include "machine/launch/task_status.h"

namespace tacho {

// The files of a scheduler's batch on the file system that its nodes share: the tasks, their job in
// the scheduler, locks of running tasks, cancelled tasks, and how tasks ended. Tasks are numbered
// from 0, as in submit().
class BatchFolder {
 public:
  explicit BatchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // Returns true once create() has written the tasks.
  [[nodiscard]] bool exists() const;
  [[nodiscard]] Result<void> create(std::span<const Task> tasks) const;
  // Returns the name for the scheduler, which is unique: a later batch in the same folder has
  // another one.
  [[nodiscard]] Result<std::string> name() const;
  [[nodiscard]] Result<Task> task(std::size_t index) const;
  [[nodiscard]] Result<std::vector<std::string>> keys() const;

  // Returns the scheduler's job id, once it is known.
  [[nodiscard]] std::optional<std::string> job() const;
  [[nodiscard]] Result<void> set_job(const std::string& job) const;

  [[nodiscard]] std::filesystem::path ended_folder() const { return path_ / "ended"; }
  // Returns how a task ended; nothing before. The first status is kept: setting another one for the
  // same task changes nothing.
  [[nodiscard]] Result<std::optional<TaskStatus>> status(std::size_t index) const;
  [[nodiscard]] Result<void> set_status(std::size_t index, const TaskStatus& status) const;

  // The machine or pod that took a task last, for schedulers that do not number their programs.
  [[nodiscard]] Result<void> set_taker(std::size_t index, const std::string& name) const;
  [[nodiscard]] std::map<std::string, std::size_t> takers() const;

  // A cancelled task is not started any more.
  [[nodiscard]] Result<void> mark_cancelled(std::size_t index) const;
  [[nodiscard]] bool is_cancelled(std::size_t index) const;

  // Takes the lock of a running task. ErrorCode::unavailable: another process runs it.
  [[nodiscard]] Result<FileLock> lock(std::size_t index) const;

  [[nodiscard]] Result<void> remove() const;

 private:
  std::filesystem::path path_;
};

}  // namespace tacho
