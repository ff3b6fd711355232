#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/record/event.h"
#include "core/record/run_folder.h"

namespace tacho {

// Writes a run in the format of MLPerf's logging library, for tools that read it, with the keys of
// its mllog/constants.py. This does not make the run a valid submission, which needs cleared caches
// and a clock that starts before the data is touched.
//
// Give it the events of one attempt, in order.
class MllogWriter {
 public:
  explicit MllogWriter(RunOrder order) : order_(std::move(order)) {}

  // Returns zero or more lines ":::MLLOG {…}", without newlines.
  std::vector<std::string> lines(const Event& event);

 private:
  [[nodiscard]] bool reached_target() const;

  RunOrder order_;
  bool running_ = false;  // between run_start and run_stop
  double best_top1_ = 0;
};

}  // namespace tacho
