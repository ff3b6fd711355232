#pragma once

#include <chrono>
#include <string>

#include "base/terminal.h"
#include "experiments/runner/comparer.h"

namespace tacho {

// "block 4 of 10  podman  1:42 left  step −0.2 % [−0.8, +0.4]"
std::string compare_line(const Comparison& comparison, const ComparePoint& point, Seconds since);

// Shows the progress of a comparison on standard error: an updating line on a terminal, otherwise
// nothing.
class CompareProgress final : public CompareView {
 public:
  explicit CompareProgress(const Terminal& terminal) : terminal_(terminal) {}
  ~CompareProgress() override { clear(); }

  void run_begins(const Comparison& comparison, const ComparePoint& point) override;
  void note(const std::string& sentence) override;
  void started(std::int64_t /*id*/, const RunOrder& /*order*/) override {}
  void event(const Event& /*event*/) override {}
  void tick() override;

 private:
  void clear();

  const Terminal& terminal_;
  const Comparison* comparison_ = nullptr;  // of the current run
  ComparePoint point_;
  std::chrono::steady_clock::time_point began_;
  bool shown_ = false;
};

}  // namespace tacho
