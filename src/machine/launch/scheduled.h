#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine/launch/batch_folder.h"
#include "machine/launch/launcher.h"

namespace tacho {

// The common part of launchers with a scheduler: the batch's folder identifies it and contains how
// its tasks ended. query() asks the scheduler for the state of the other tasks.
class ScheduledLauncher : public Launcher {
 public:
  [[nodiscard]] bool has_shared_queue() const override { return true; }
  Result<void> submit(const std::string& batch, std::span<const Task> tasks) final;
  Result<std::vector<TaskUpdate>> poll(const std::string& batch) final;
  Result<void> cancel(const std::string& batch, std::span<const std::string> keys) final;
  Result<void> cancel_all(const std::string& batch) final;
  Result<void> forget(const std::string& batch) final;
  void wait(std::chrono::milliseconds time) final;

 protected:
  struct Batch {
    BatchFolder folder;
    std::string name;  // for the scheduler
    std::vector<std::string> keys;
  };
  // By task; absent if the scheduler does not know the task (any more).
  using Updates = std::vector<std::optional<TaskUpdate>>;

  ScheduledLauncher(std::filesystem::path folder, std::chrono::milliseconds poll_interval)
      : folder_(std::move(folder)), poll_interval_(poll_interval) {}

  // Submits a batch whose tasks are in its folder, and returns the job id. ErrorCode::usage: it was
  // refused and does not exist.
  virtual Result<std::string> submit_job(const Batch& batch, std::span<const Task> tasks) = 0;
  // Returns the job id of a batch that submit_job() may have submitted.
  virtual Result<std::optional<std::string>> find(const Batch& batch) = 0;
  virtual Result<Updates> query(const Batch& batch, const std::string& job) = 0;
  virtual Result<void> end_tasks(const Batch& batch, const std::string& job,
                                 std::span<const std::size_t> indices) = 0;
  // Ends all tasks and removes the job from the scheduler.
  virtual Result<void> end_batch(const Batch& batch, const std::string& job) = 0;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Known {
    Batch batch;
    std::vector<std::optional<TaskStatus>> ended;
    std::optional<Clock::time_point> queried = {};
    Updates updates = {};                       // of the last successful query
    std::optional<Error> last_error = {};       // of the last query, if it failed
    std::filesystem::file_time_type seen = {};  // modification time of ended_folder()
  };
  [[nodiscard]] BatchFolder folder_of(const std::string& batch) const;
  Result<Known*> known(const std::string& batch);
  Result<std::optional<std::string>> job_of(const Batch& batch);
  static Result<void> read_ends(Known& known);
  Result<Updates> query_job(const Batch& batch);
  Result<void> refresh(Known& known);
  Result<void> cancel_indices(Known& known, std::span<const std::size_t> indices);
  static TaskUpdate task_update(const Known& known, std::size_t index);

  std::filesystem::path folder_;
  std::chrono::milliseconds poll_interval_;
  std::map<std::string, Known> known_;
};

}  // namespace tacho
