#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "core/store/sweep_store.h"
#include "experiments/sweep/batch_order.h"

namespace tacho {

// The waiting tasks of a sweep. A task is ready if it does not depend on a running one
// (BatchOrder).
class SweepQueue {
 public:
  // With `ordered`, a larger batch waits for a smaller one. Queues of schedulers are not ordered
  // and get all tasks at once.
  SweepQueue(SweepStore& store, bool ordered) : store_(store), ordered_(ordered) {}

  Result<void> open(std::int64_t sweep);  // reads the existing results

  void start(const SweepTask& task) { order_.start(task.configuration); }
  void end(const SweepTask& task, bool fits);

  // Returns the ready tasks in the order of the sweep.
  Result<std::vector<SweepTask>> ready();
  Result<std::optional<SweepTask>> first_ready();
  // Starts at most `most` tasks, up to the first for which `belongs` is false.
  Result<std::vector<SweepTask>> start_ready(std::int64_t most,
                                             const std::function<bool(const SweepTask&)>& belongs);

  // Returns true if first_ready() found waiting tasks but none ready, and no task has ended since.
  [[nodiscard]] bool is_held_back() const { return held_back_; }

 private:
  [[nodiscard]] bool must_wait(const SweepTask& task) const {
    return ordered_ && order_.must_wait(task.configuration);
  }

  SweepStore& store_;
  bool ordered_;
  std::int64_t sweep_ = 0;
  BatchOrder order_;
  bool held_back_ = false;
};

}  // namespace tacho
