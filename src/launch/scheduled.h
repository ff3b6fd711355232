#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launch/batch_folder.h"
#include "launch/launcher.h"

namespace tacho {

// What the launchers with a scheduler have in common: a batch's folder is what it is known by, and
// says how its tasks ended. The scheduler, asked by ask(), adds which of the others run.
class ScheduledLauncher : public Launcher {
 public:
  [[nodiscard]] bool has_shared_queue() const override { return true; }
  Result<void> submit(const std::string& batch, std::span<const Task> tasks) final;
  Result<std::vector<TaskNews>> poll(const std::string& batch) final;
  Result<void> cancel(const std::string& batch, std::span<const std::string> keys) final;
  Result<void> cancel_all(const std::string& batch) final;
  Result<void> forget(const std::string& batch) final;
  void wait(std::chrono::milliseconds time) final;

 protected:
  struct Batch {
    BatchFolder folder;
    std::string name;  // that the scheduler is to know it by
    std::vector<std::string> keys;
  };
  // What the scheduler says of one task; nothing of the task: it does not know it (any more).
  using Answer = std::vector<std::optional<TaskNews>>;

  ScheduledLauncher(std::filesystem::path folder, std::chrono::milliseconds between_questions)
      : folder_(std::move(folder)), between_questions_(between_questions) {}

  // Hands a batch over whose tasks are in its folder, and returns what the scheduler calls it.
  // ErrorCode::usage: it was refused, and is not there.
  virtual Result<std::string> hand_over(const Batch& batch, std::span<const Task> tasks) = 0;
  // The scheduler's word for a batch that hand_over() may or may not have handed over.
  virtual Result<std::optional<std::string>> find(const Batch& batch) = 0;
  virtual Result<Answer> ask(const Batch& batch, const std::string& job) = 0;
  virtual Result<void> end_tasks(const Batch& batch, const std::string& job,
                                 std::span<const std::size_t> indices) = 0;
  // All tasks, and what the scheduler keeps of the batch.
  virtual Result<void> end_batch(const Batch& batch, const std::string& job) = 0;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Known {
    Batch batch;
    std::vector<std::optional<TaskStatus>> ended;
    std::optional<Clock::time_point> asked = {};
    Answer answer = {};
    std::optional<Error> silence = {};          // why there was none
    std::filesystem::file_time_type seen = {};  // of the folder of ends
  };
  [[nodiscard]] BatchFolder folder_of(const std::string& batch) const;
  Result<Known*> known(const std::string& batch);
  Result<std::optional<std::string>> job_of(const Batch& batch);
  static Result<void> read_ends(Known& known);
  Result<Answer> answer_for(const Batch& batch);
  Result<void> ask_again(Known& known);
  Result<void> cancel_indices(Known& known, std::span<const std::size_t> indices);
  static TaskNews news(const Known& known, std::size_t index);

  std::filesystem::path folder_;
  std::chrono::milliseconds between_questions_;
  std::map<std::string, Known> known_;
};

}  // namespace tacho
