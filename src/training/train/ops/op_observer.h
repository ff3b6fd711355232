#pragma once

#include <memory>
#include <vector>

#include "core/record/op_trace.h"

namespace tacho {

// Observes the operators that torch executes for the creating thread, including those of a backward
// pass on autograd's threads; ignores other threads. Between steps there are no callbacks.
class OpObserver {
 public:
  OpObserver();
  ~OpObserver();
  OpObserver(const OpObserver&) = delete;
  OpObserver& operator=(const OpObserver&) = delete;

  // One step at a time, begun and ended by the creating thread, while no backward pass is running.
  void begin_step();
  // Returns the seconds spent within operators.
  double keep_step();
  // Discards the current step, if there is one.
  void drop_step();

  // Rows of all kept steps; most self time first.
  [[nodiscard]] std::vector<OpRow> rows() const;

 private:
  class Tables;
  class Listening;
  std::shared_ptr<Tables> tables_;  // shared with torch while it may call back
  std::unique_ptr<Listening> listening_;
};

}  // namespace tacho
