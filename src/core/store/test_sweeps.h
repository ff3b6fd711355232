#pragma once

#include <string>
#include <vector>

#include "core/store/sweep_store.h"

namespace tacho {

// For tests: a sweep with one task per batch size.
inline SweepRow some_sweep(std::string key = "20260101-000000-abcdef") {
  return {.key = std::move(key), .name = "small", .grid = "base: {}", .settings = "{}"};
}

inline std::vector<SweepTask> tasks_of_batches(const std::vector<int>& batches) {
  std::vector<SweepTask> tasks;
  for (const int batch : batches) {
    SweepTask task;
    task.configuration = {{"model", "lenet5"}, {"batch", std::to_string(batch)}};
    task.asked.spec.model = "lenet5";
    task.asked.spec.batch = batch;
    tasks.push_back(std::move(task));
  }
  return tasks;
}

}  // namespace tacho
