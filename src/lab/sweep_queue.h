#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "store/sweep_store.h"
#include "sweep/batch_order.h"

namespace tacho {

// The waiting tasks of a sweep, of which only those are ready whose start depends on no run under
// way (BatchOrder).
class SweepQueue {
 public:
  // `ordered`: a larger batch waits for a smaller one. A scheduler's queue is filled at once
  // instead.
  SweepQueue(SweepStore& store, bool ordered) : store_(store), ordered_(ordered) {}

  Result<void> open(std::int64_t sweep);  // learns from the results that are there

  void start(const SweepTask& task) { order_.start(task.configuration); }
  void end(const SweepTask& task, bool fits);

  // In the order of the sweep.
  Result<std::vector<SweepTask>> ready();
  Result<std::optional<SweepTask>> first_ready();
  // At most `most`, up to the first that does not belong to the others; they count as started.
  Result<std::vector<SweepTask>> start_ready(std::int64_t most,
                                             const std::function<bool(const SweepTask&)>& belongs);

  // Whether first_ready() found tasks that wait, none of them ready, and none has ended since.
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
