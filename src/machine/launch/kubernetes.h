#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "machine/launch/kubernetes_options.h"
#include "machine/launch/scheduled.h"

namespace tacho {

// A batch is one Indexed Job, created and watched with kubectl; each of its pods runs
// `tacho take-task`. The manifest is in the batch's folder, on the volume that the pods share with
// this machine.
class KubernetesLauncher final : public ScheduledLauncher {
 public:
  KubernetesLauncher(std::filesystem::path folder, KubernetesOptions options,
                     std::optional<int> at_once);

  [[nodiscard]] Result<void> check() const override;
  [[nodiscard]] Result<std::size_t> room(const Resources& needs) override;

 private:
  Result<std::string> submit_job(const Batch& batch, std::span<const Task> tasks) override;
  Result<std::optional<std::string>> find(const Batch& batch) override;
  Result<Updates> query(const Batch& batch, const std::string& job) override;
  Result<void> end_tasks(const Batch& batch, const std::string& job,
                         std::span<const std::size_t> indices) override;
  Result<void> end_batch(const Batch& batch, const std::string& job) override;
  [[nodiscard]] std::vector<std::string> kubectl(std::vector<std::string> words) const;
  [[nodiscard]] Result<std::string> pods_of(const std::string& job) const;

  KubernetesOptions options_;
  std::optional<int> at_once_;
};

}  // namespace tacho
