#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "launch/scheduled.h"
#include "launch/slurm_options.h"

namespace tacho {

// A batch is one array job of Slurm; each of its tasks is `tacho take-task`. The clients are run
// with a time limit; a controller that is away is no news. Accounting is not needed: how a task
// ended is in the batch's folder.
class SlurmLauncher final : public ScheduledLauncher {
 public:
  SlurmLauncher(std::filesystem::path folder, SlurmOptions options, std::optional<int> at_once);

  [[nodiscard]] Result<void> check() const override;
  [[nodiscard]] Result<std::size_t> room(const Resources& needs) override;

 private:
  Result<std::string> hand_over(const Batch& batch, std::span<const Task> tasks) override;
  Result<std::optional<std::string>> find(const Batch& batch) override;
  Result<Answer> ask(const Batch& batch, const std::string& job) override;
  Result<void> end_tasks(const Batch& batch, const std::string& job,
                         std::span<const std::size_t> indices) override;
  Result<void> end_batch(const Batch& batch, const std::string& job) override;

  SlurmOptions options_;
  std::optional<int> at_once_;
  std::optional<std::size_t> most_tasks_;
};

}  // namespace tacho
