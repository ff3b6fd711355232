#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "machine/launch/scheduled.h"
#include "machine/launch/slurm_options.h"

namespace tacho {

// A batch is one array job of Slurm; each of its tasks runs `tacho take-task`. The clients have a
// time limit; an unreachable controller is not an update. Accounting is not needed: the batch's
// folder contains how a task ended.
class SlurmLauncher final : public ScheduledLauncher {
 public:
  SlurmLauncher(std::filesystem::path folder, SlurmOptions options, std::optional<int> at_once);

  [[nodiscard]] Result<void> check() const override;
  [[nodiscard]] Result<std::size_t> room(const Resources& needs) override;

 private:
  Result<std::string> submit_job(const Batch& batch, std::span<const Task> tasks) override;
  Result<std::optional<std::string>> find(const Batch& batch) override;
  Result<Updates> query(const Batch& batch, const std::string& job) override;
  Result<void> end_tasks(const Batch& batch, const std::string& job,
                         std::span<const std::size_t> indices) override;
  Result<void> end_batch(const Batch& batch, const std::string& job) override;
  Result<void> end(const Batch& batch, const std::vector<std::string>& jobs);

  SlurmOptions options_;
  std::optional<int> at_once_;
  std::optional<std::size_t> most_tasks_;
};

}  // namespace tacho
