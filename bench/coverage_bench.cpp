// Simulates 20,000 comparisons each to measure how often the interval of a ratio contains the true
// value, how often equal variants are reported as different, and how often a difference is found.
// Source of the tables in docs/compare.md.
//   coverage_bench [TRIALS]
#include <fmt/format.h>

#include <cstdlib>

#include "core/record/statistics.h"
#include "experiments/compare/decide.h"
#include "experiments/compare/simulated.h"

namespace {

using namespace tacho;

constexpr double kTruth = 1.07;
constexpr std::array kRuns = {3, 5, 6, 8, 10, 15, 20, 30, 60};

// Returns whether a plain percentile bootstrap of the ratio of medians would contain the true
// value.
bool bootstrap_holds(const Group& group, std::uint64_t seed) {
  Random random(seed, 99);
  std::vector<double> ratios;
  const auto n = static_cast<std::int64_t>(group.first.values.size());
  for (int i = 0; i < 400; ++i) {
    std::vector<double> a;
    std::vector<double> b;
    for (std::int64_t k = 0; k < n; ++k) {
      a.push_back(group.first.values[static_cast<std::size_t>(random.below(n))]);
      b.push_back(group.second.values[static_cast<std::size_t>(random.below(n))]);
    }
    ratios.push_back(median(b) / median(a));
  }
  return quantile(ratios, 0.025) <= kTruth && kTruth <= quantile(ratios, 0.975);
}

enum class Method { paired, unpaired, bootstrap };

void coverage(const char* title, Method method, double drift, int trials) {
  fmt::print("\ncoverage in %, {}\n{:<30}", title, "runs of each");
  for (const int runs : kRuns) fmt::print("{:>6}", runs);
  fmt::print("\n");
  for (const auto& [noise, name] : kNoises) {
    fmt::print("{:<30}", name);
    for (const int runs : kRuns) {
      const int held = count_trials(trials, [&, noise = noise](std::uint64_t trial) {
        SimulatedMachine machine(trial, noise, 0.03, drift);
        Group group = simulated(machine, runs, kTruth);
        if (method == Method::bootstrap) return bootstrap_holds(group, trial);
        if (method == Method::unpaired) group.first.blocks.clear();
        return holds(group, kTruth);
      });
      fmt::print("{:>6.1f}", 100.0 * held / trials);
    }
    fmt::print("\n");
  }
}

void claims(const char* title, double ratio, double drift, int trials) {
  fmt::print("\ndifference claimed in %, {}\n{:<30}", title, "runs of each");
  for (const int runs : kRuns) fmt::print("{:>6}", runs);
  fmt::print("\n");
  for (const auto& [noise, name] : kNoises) {
    fmt::print("{:<30}", name);
    for (const int runs : kRuns) {
      const int claimed = count_trials(trials, [&, noise = noise](std::uint64_t trial) {
        SimulatedMachine machine(trial, noise, 0.02, drift);
        const Group group = simulated(machine, runs, ratio);
        return claims_difference(group);
      });
      fmt::print("{:>6.1f}", 100.0 * claimed / trials);
    }
    fmt::print("\n");
  }
}

// Adds runs until the interval is as narrow as 1 %.
void sequential(double ratio, double spread, double drift, int trials) {
  const StopRule rule{.resolution = 0.01, .min_repeats = 10, .max_repeats = 100};
  fmt::print(
      "\nadding runs, ratio {}, noise {:.1f} %, drift {:.1f} % per run\n{:<30}{:>8}{:>8}{:>8}\n",
      ratio, 100 * spread, 100 * drift, "in %", "held", "claimed", "blocks");
  for (const auto& [noise, name] : kNoises) {
    int held = 0;
    int claimed = 0;
    std::size_t blocks = 0;
    for (int trial = 0; trial < trials; ++trial) {
      SimulatedMachine machine(static_cast<std::uint64_t>(trial), noise, spread, drift);
      const Group group = run_to_resolution(machine, ratio, rule);
      held += holds(group, ratio) ? 1 : 0;
      claimed += claims_difference(group) ? 1 : 0;
      blocks += group.first.values.size();
    }
    fmt::print("{:<30}{:>8.1f}{:>8.1f}{:>8.1f}\n", name, 100.0 * held / trials,
               100.0 * claimed / trials, static_cast<double>(blocks) / trials);
  }
}

void unequal_noise(bool in_blocks, int trials) {
  const int held = count_trials(trials, [&](std::uint64_t trial) {
    SimulatedMachine quiet(trial, Noise::normal, 0.01);
    SimulatedMachine loud(trial + 1'000'000, Noise::normal, 0.04);
    Group group;
    for (std::int64_t block = 1; block <= 12; ++block) {
      group.first.values.push_back(quiet.run());
      group.second.values.push_back(kTruth * loud.run());
      if (in_blocks) group.first.blocks.push_back(block);
    }
    group.second.blocks = group.first.blocks;
    return holds(group, kTruth);
  });
  fmt::print("\nnoise 1 % versus 4 %, 12 runs of each, {}: {:.1f} % held\n",
             in_blocks ? "in blocks" : "without blocks", 100.0 * held / trials);
}

}  // namespace

int main(int argc, char** argv) {
  const int trials = argc > 1 ? std::atoi(argv[1]) : 20'000;
  coverage("in blocks", Method::paired, 0, trials);
  coverage("in blocks, the machine drifts by 2 % per run", Method::paired, 0.02, trials);
  coverage("without blocks", Method::unpaired, 0, trials);
  coverage("percentile bootstrap of medians, for comparison", Method::bootstrap, 0, trials / 10);
  claims("same versus same, noise 2 %", 1, 0, trials);
  claims("same versus same, noise 2 %, drift 2 % per run", 1, 0.02, trials);
  claims("3 % slower, noise 2 %", 1.03, 0, trials);
  unequal_noise(true, trials);
  unequal_noise(false, trials);
  sequential(1, 0.007, 0.002, trials / 5);
  sequential(1, 0.012, 0, trials / 5);
  sequential(1.01, 0.007, 0.002, trials / 5);
}
