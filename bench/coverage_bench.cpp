// How often the interval of a ratio holds the truth, how often equal variants are called different,
// how often a difference is found: 20,000 simulated comparisons each. The tables of
// docs/compare.md.
//   coverage_bench [TRIALS]
#include <fmt/format.h>

#include <cstdlib>

#include "compare/decide.h"
#include "compare/simulated.h"
#include "record/statistics.h"

namespace {

using namespace tacho;

constexpr double kTruth = 1.07;
constexpr std::array kRuns = {3, 5, 6, 7, 8, 10, 12, 15, 20, 30, 60};

// What a plain percentile bootstrap of the medians' ratio would have done.
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
        const std::array evidence = {weigh(group.first, group.second)};
        const Verdict verdict = decide(evidence, {}).front().verdict;
        return verdict == Verdict::higher || verdict == Verdict::lower;
      });
      fmt::print("{:>6.1f}", 100.0 * claimed / trials);
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int trials = argc > 1 ? std::atoi(argv[1]) : 20'000;
  coverage("in blocks", Method::paired, 0, trials);
  coverage("in blocks, the machine drifts by 5 % a block", Method::paired, 0.05, trials);
  coverage("without blocks", Method::unpaired, 0, trials);
  coverage("percentile bootstrap of medians, for comparison", Method::bootstrap, 0, trials / 10);
  claims("same against same, noise 2 %", 1, 0, trials);
  claims("same against same, noise 2 %, drift 5 %", 1, 0.05, trials);
  claims("3 % slower, noise 2 %", 1.03, 0, trials);
}
