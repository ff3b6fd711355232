#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

#include "base/random.h"
#include "experiments/compare/decide.h"
#include "experiments/compare/ratio.h"
#include "experiments/compare/schedule.h"

namespace tacho {

// Simulated runs of known truth for tests and benchmarks of the statistics: noise of several shapes
// and drift of the machine.
enum class Noise { normal, skewed, heavy_tailed, outliers };
struct NoiseName {
  Noise noise;
  std::string_view name;
};
inline constexpr std::array kNoises = {NoiseName{Noise::normal, "normal"},
                                       NoiseName{Noise::skewed, "log-normal, skewed"},
                                       NoiseName{Noise::heavy_tailed, "Student t3"},
                                       NoiseName{Noise::outliers, "normal, 10 % Pareto outliers"}};

class SimulatedMachine {
 public:
  // `spread`: standard deviation of a run relative to its time, without outliers. `drift`: random
  // walk of the machine's speed from one run to the next.
  SimulatedMachine(std::uint64_t seed, Noise noise, double spread, double drift = 0)
      : random_(Random::scattered(seed)), noise_(noise), spread_(spread), drift_(drift) {}

  // Adds one run of each variant in random order; the second takes `ratio` times as long.
  void add_block(Sample& first, Sample& second, double ratio) {
    const auto block = static_cast<std::int64_t>(first.values.size()) + 1;
    const bool swapped = random_.below(2) == 1;
    for (const bool is_first : {!swapped, swapped}) {
      Sample& sample = is_first ? first : second;
      sample.values.push_back(speed_ * (is_first ? 1 : ratio) * run());
      sample.blocks.push_back(block);
      if (drift_ > 0) speed_ *= std::exp(drift_ * normal());
    }
  }

  double run() {
    switch (noise_) {
      case Noise::skewed: {
        // Bounded below with a long tail of slow runs, like a busy machine.
        const double shape = 1;
        const double scale = spread_ / std::sqrt((std::exp(shape) - 1) * std::exp(shape));
        return 1 + scale * std::exp(shape * normal());
      }
      case Noise::heavy_tailed: {
        double squares = 0;
        for (int i = 0; i < 3; ++i) squares += std::pow(normal(), 2);
        return std::exp(spread_ * normal() / std::sqrt(squares / 3) / std::numbers::sqrt3);
      }
      case Noise::outliers: {
        const double ordinary = 1 + spread_ * normal();
        if (random_.between(0, 1) >= 0.1) return ordinary;
        return ordinary * (1 + 2 * spread_ * std::pow(random_.between(0, 1) + 1e-12, -1 / 1.5));
      }
      case Noise::normal:
        break;
    }
    return 1 + spread_ * normal();
  }

 private:
  // Box–Muller; normal distributions of standard libraries differ between platforms.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - random_.between(0, 1)));
    return radius * std::cos(2 * std::numbers::pi * random_.between(0, 1));
  }

  Random random_;
  Noise noise_;
  double spread_;
  double drift_;
  double speed_ = 1;
};

// Counts the trials that return true.
template <class Trial>
int count_trials(int trials, const Trial& trial) {
  int count = 0;
  for (int i = 0; i < trials; ++i) count += trial(static_cast<std::uint64_t>(i)) ? 1 : 0;
  return count;
}

struct Group {
  Sample first;
  Sample second;
};

inline Group simulated(SimulatedMachine& machine, int blocks, double ratio) {
  Group group;
  for (int i = 0; i < blocks; ++i) machine.add_block(group.first, group.second, ratio);
  return group;
}

inline bool holds(const Group& group, double ratio, double level = 0.95) {
  const auto found = ratio_interval(group.first, group.second, level);
  return found && found->interval && found->interval->low <= ratio &&
         ratio <= found->interval->high;
}

inline bool claims_difference(const Group& group, double resolution = 0.01) {
  const std::array evidence = {weigh(group.first, group.second)};
  const Verdict verdict = decide(evidence, {.resolution = resolution}).front().verdict;
  return verdict == Verdict::higher || verdict == Verdict::lower;
}

// Adds blocks until the rule says stop, as a real comparison does.
inline Group run_to_resolution(SimulatedMachine& machine, double ratio, const StopRule& rule) {
  Group group;
  BlocksDone done;
  do {
    machine.add_block(group.first, group.second, ratio);
    ++done.blocks;
    if (is_look(rule, done.blocks)) done.ratios = {ratio_interval(group.first, group.second)};
  } while (reason_to_stop(rule, done) == StopReason::none);
  return group;
}

}  // namespace tacho
