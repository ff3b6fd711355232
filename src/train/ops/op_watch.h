#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "record/event.h"
#include "record/run_spec.h"
#include "train/ops/op_observer.h"

namespace tacho {

// A run's operators: which of its steps are watched, and the file that says what they took.
// Torch itself takes half a microsecond for each operator that is watched, up to a fifth of the
// step of a small model: watched are the first ten steps after the warm-up, then every fifth, after
// a thousand every fiftieth.
class OpWatch {
 public:
  // Peaks of the CPU where it trains on that; of a GPU none are known.
  OpWatch(std::filesystem::path file, const RunSpec& spec, const ComputePaths& paths);

  // Steps before this one, counted from 1, are start-up.
  void set_first_step(std::int64_t number) { first_ = number; }

  // While one lives, the step is watched, if it is its turn. Forgotten if it is not done().
  class Step {
   public:
    // Nobody asked for it: `watch` may be null.
    Step(OpWatch* watch, std::int64_t number);
    ~Step();
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    void done();

   private:
    using Clock = std::chrono::steady_clock;
    OpWatch* watch_;  // null where nothing is watched, or not any more
    std::int64_t number_;
    Clock::time_point began_;
  };

  // All that was seen so far.
  [[nodiscard]] Result<void> write() const;

  // What a person should know of the times; "" where they are what they seem.
  static std::string remark(const RunSpec& spec);

 private:
  [[nodiscard]] bool is_turn_of(std::int64_t number) const;

  std::filesystem::path file_;
  OpTrace trace_;  // its rows only when it is written
  OpObserver observer_;
  std::int64_t first_ = 1;
};

}  // namespace tacho
