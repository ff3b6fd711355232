#pragma once

#include <string>
#include <utility>
#include <vector>

#include "record/event.h"
#include "record/run_folder.h"

namespace tacho {

// A run in the lines of MLPerf's logging library, for the tools that read those; keys as its
// mllog/constants.py spells them. They do not make the run a submission: that wants caches cleared
// and the clock started before the data is touched.
//
// Give it the events of one attempt, in order.
class MllogWriter {
 public:
  explicit MllogWriter(RunOrder order) : order_(std::move(order)) {}

  // None, one or several lines ":::MLLOG {…}", without newlines.
  std::vector<std::string> lines(const Event& event);

 private:
  [[nodiscard]] bool reached_target() const;

  RunOrder order_;
  bool running_ = false;  // between run_start and run_stop
  double best_top1_ = 0;
};

}  // namespace tacho
