#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "core/record/event.h"
#include "core/record/run_spec.h"
#include "training/train/ops/op_observer.h"

namespace tacho {

// A run's operators: selects the observed steps and writes their times to a file. Torch takes half
// a microsecond per observed operator, up to a fifth of the step of a small model: therefore the
// first ten steps after the warm-up are observed, then every fifth, after a thousand every
// fiftieth.
class OpWatch {
 public:
  // Reports peaks of the CPU if it trains there; those of a GPU are unknown.
  OpWatch(std::filesystem::path file, const RunSpec& spec, const ComputePaths& paths);

  // Earlier steps, counted from 1, are warm-up.
  void set_first_step(std::int64_t number) { first_ = number; }

  // Observes the step during its lifetime, if it is selected. Discarded without done().
  class Step {
   public:
    // `watch` is null if operators were not requested.
    Step(OpWatch* watch, std::int64_t number);
    ~Step();
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    void done();

   private:
    using Clock = std::chrono::steady_clock;
    OpWatch* watch_;  // null if the step is not observed, or no longer
    std::int64_t number_;
    Clock::time_point began_;
  };

  // Writes all observations so far.
  [[nodiscard]] Result<void> write() const;

  // Returns a caveat about the times; "" if there is none.
  static std::string remark(const RunSpec& spec);

 private:
  [[nodiscard]] bool is_turn_of(std::int64_t number) const;

  std::filesystem::path file_;
  OpTrace trace_;  // the rows are added when it is written
  OpObserver observer_;
  std::int64_t first_ = 1;
};

}  // namespace tacho
