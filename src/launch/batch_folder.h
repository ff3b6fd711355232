#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "launch/launcher.h"
#include "launch/task_status.h"

namespace tacho {

// What a scheduler's batch leaves on the file system that its nodes share: the tasks, by which
// name the scheduler knows them, who is at work on one, which are cancelled, how they ended. Tasks
// are numbered from 0, as in submit().
class BatchFolder {
 public:
  explicit BatchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // Whether tasks were written; create() is their moment.
  [[nodiscard]] bool exists() const;
  [[nodiscard]] Result<void> create(std::span<const Task> tasks) const;
  [[nodiscard]] Result<Task> task(std::size_t index) const;
  [[nodiscard]] Result<std::vector<std::string>> keys() const;

  // What the scheduler calls it, once that is known.
  [[nodiscard]] std::optional<std::string> job() const;
  [[nodiscard]] Result<void> set_job(const std::string& job) const;

  [[nodiscard]] std::filesystem::path ended_folder() const { return path_ / "ended"; }
  // How a task ended; nothing before. The first word counts: of two that end the same task, the
  // second changes nothing.
  [[nodiscard]] Result<std::optional<TaskStatus>> status(std::size_t index) const;
  [[nodiscard]] Result<void> set_status(std::size_t index, const TaskStatus& status) const;

  // A task so marked is not begun any more.
  [[nodiscard]] Result<void> mark_cancelled(std::size_t index) const;
  [[nodiscard]] bool is_cancelled(std::size_t index) const;

  // Held by whoever works on a task. Unavailable: another does.
  [[nodiscard]] Result<FileLock> lock(std::size_t index) const;

  [[nodiscard]] Result<void> remove() const;

 private:
  std::filesystem::path path_;
};

// A word for this batch that no other batch of the same user has, wherever its folder lies.
std::string unique_name(const std::filesystem::path& folder, const std::string& batch);

}  // namespace tacho
