#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machine/launch/kubernetes_options.h"
#include "machine/launch/kubernetes_pods.h"
#include "machine/launch/scheduled.h"

namespace tacho {

// A batch is one Job, created and watched with kubectl; each of its pods runs `tacho take-task`.
// The manifest is in the batch's folder, on the volume that the pods share with this machine.
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
  [[nodiscard]] Result<std::string> get(std::vector<std::string> words) const;
  [[nodiscard]] Result<JobPods> pods_of(const Batch& batch, const std::string& job) const;
  [[nodiscard]] std::map<std::string, std::string> warnings() const;
  [[nodiscard]] Result<void> check_version() const;
  // The update of a task that waits, with the warnings about its pod or its job as its reason. Ends
  // a task whose container cannot be created.
  TaskUpdate waiting(PodUpdate pod, const std::string& job, std::size_t index,
                     const std::map<std::string, std::string>& warnings);

  KubernetesOptions options_;
  std::optional<int> at_once_;
  using Clock = std::chrono::steady_clock;
  // Since when a task's container cannot be created, by job and task.
  std::map<std::pair<std::string, std::size_t>, Clock::time_point> cannot_start_since_;
};

}  // namespace tacho
