// The statistics against a known truth: each number of docs/compare.md with fewer trials, the same
// ones each time. bench/coverage_bench.cpp has the many.
#include <gtest/gtest.h>

#include "compare/decide.h"
#include "compare/schedule.h"
#include "compare/simulated.h"

namespace tacho {
namespace {

constexpr int kTrials = 1000;

bool claims_difference(const Group& group, double resolution = 0.01) {
  const std::array evidence = {weigh(group.first, group.second)};
  const Verdict verdict = decide(evidence, {.resolution = resolution}).front().verdict;
  return verdict == Verdict::higher || verdict == Verdict::lower;
}

Group without_blocks(Group group) {
  group.first.blocks.clear();
  return group;
}

TEST(Honesty, IntervalsHoldTheTruthAsOftenAsTheySay) {
  for (const auto& [noise, name] : kNoises) {
    for (const int runs : {6, 10, 30}) {
      int paired = 0;
      int unpaired = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        SimulatedMachine steady(static_cast<std::uint64_t>(trial), noise, 0.03);
        unpaired += holds(without_blocks(simulated(steady, runs, 1.07)), 1.07) ? 1 : 0;
        SimulatedMachine drifting(static_cast<std::uint64_t>(trial) + 5000, noise, 0.03, 0.05);
        paired += holds(simulated(drifting, runs, 1.07), 1.07) ? 1 : 0;
      }
      for (const int held : {paired, unpaired}) {
        EXPECT_GE(held, kTrials * 93 / 100) << name << ", " << runs << " runs";
        EXPECT_LE(held, kTrials * 97 / 100) << name << ", " << runs << " runs";
      }
    }
  }
}

TEST(Honesty, IntervalsHoldTheTruthWhereOneVariantIsNoisier) {
  const int held = count_trials(kTrials, [](std::uint64_t trial) {
    SimulatedMachine quiet(trial, Noise::normal, 0.01);
    SimulatedMachine loud(trial + 7000, Noise::normal, 0.04);
    Group group;
    for (int i = 0; i < 12; ++i) {
      group.first.values.push_back(quiet.run());
      group.second.values.push_back(1.07 * loud.run());
    }
    return holds(group, 1.07);
  });
  EXPECT_GE(held, kTrials * 93 / 100);
  EXPECT_LE(held, kTrials * 97 / 100);
}

TEST(Honesty, SameAgainstSameIsSeldomCalledDifferent) {
  for (const auto& [noise, name] : kNoises) {
    for (const double drift : {0.0, 0.05}) {
      const int claims = count_trials(kTrials, [&, noise = noise](std::uint64_t trial) {
        SimulatedMachine machine(trial, noise, 0.02, drift);
        return claims_difference(simulated(machine, 10, 1));
      });
      EXPECT_LE(claims, kTrials * 5 / 100) << name;
      EXPECT_GT(claims, 0) << name;
    }
  }
}

// Eight metrics of three variants, all the same: that any of the 24 is called different.
TEST(Honesty, ManyComparisonsAreNotManyFalseAlarms) {
  const int alarms = count_trials(400, [](std::uint64_t trial) {
    std::vector<Evidence> evidence;
    for (std::uint64_t metric = 0; metric < 24; ++metric) {
      SimulatedMachine machine(trial * 24 + metric, Noise::skewed, 0.02);
      const Group group = simulated(machine, 12, 1);
      evidence.push_back(weigh(group.first, group.second));
    }
    const auto decisions = decide(evidence, {});
    return std::any_of(decisions.begin(), decisions.end(), [](const Decision& decision) {
      return decision.verdict == Verdict::higher || decision.verdict == Verdict::lower;
    });
  });
  EXPECT_LE(alarms, 400 * 6 / 100);
  EXPECT_GT(alarms, 0);
}

TEST(Power, ThreePercentAreFoundInTenRunsOfTwoPercentNoise) {
  const int found = count_trials(kTrials, [](std::uint64_t trial) {
    SimulatedMachine machine(trial, Noise::normal, 0.02);
    return claims_difference(simulated(machine, 10, 1.03));
  });
  EXPECT_GE(found, kTrials * 80 / 100);
}

struct Stopped {
  Group group;
  std::int64_t blocks = 0;
};

// As the driver does it: blocks until the interval is as narrow as the resolution.
Stopped run_to_resolution(SimulatedMachine& machine, double ratio, const StopRule& rule) {
  Stopped run;
  Standing standing;
  do {
    machine.add_block(run.group.first, run.group.second, ratio);
    ++standing.blocks;
    standing.ratios = {ratio_interval(run.group.first, run.group.second)};
  } while (reason_to_stop(rule, standing) == StopReason::none);
  run.blocks = standing.blocks;
  return run;
}

TEST(Sequential, StoppingOnWidthLeavesTheIntervalsHonest) {
  const StopRule rule{.resolution = 0.01, .min_repeats = 10, .max_repeats = 60};
  for (const auto& [noise, name] : kNoises) {
    for (const double drift : {0.0, 0.03}) {
      int held = 0;
      int claimed = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        SimulatedMachine machine(static_cast<std::uint64_t>(trial), noise, 0.008, drift);
        const Stopped run = run_to_resolution(machine, 1, rule);
        held += holds(run.group, 1) ? 1 : 0;
        claimed += claims_difference(run.group) ? 1 : 0;
      }
      std::printf("%s drift %g held %d claimed %d\n", std::string(name).c_str(), drift, held,
                  claimed);
      EXPECT_GE(held, kTrials * 93 / 100) << name;
      EXPECT_LE(held, kTrials * 97 / 100) << name;
      EXPECT_LE(claimed, kTrials * 5 / 100) << name;
    }
  }
}

TEST(Sequential, OnePercentIsFoundAtAResolutionOfOnePercent) {
  const StopRule rule{.resolution = 0.01, .min_repeats = 10, .max_repeats = 200};
  int found = 0;
  std::int64_t blocks = 0;
  for (int trial = 0; trial < 300; ++trial) {
    SimulatedMachine machine(static_cast<std::uint64_t>(trial), Noise::normal, 0.008, 0.01);
    const Stopped run = run_to_resolution(machine, 1.01, rule);
    blocks += run.blocks;
    found += claims_difference(run.group) ? 1 : 0;
  }
  std::printf("found %d of 300, mean blocks %g\n", found, double(blocks) / 300);
  EXPECT_GE(found, 300 * 90 / 100);
}

// "About so many more runs" is what it takes: with them, at least every second comparison that
// could not be told can.
TEST(MoreRuns, AreAboutAsManyAsItTakes) {
  for (const double truth : {1.0, 1.005, 1.01, 1.03}) {
    int unclear = 0;
    int told = 0;
    for (int trial = 0; trial < 500; ++trial) {
      SimulatedMachine machine(static_cast<std::uint64_t>(trial), Noise::normal, 0.02);
      Group group = simulated(machine, 10, truth);
      const auto decided = [&] {
        const std::array evidence = {weigh(group.first, group.second)};
        return decide(evidence, {}).front();
      };
      const Decision before = decided();
      if (before.verdict != Verdict::unclear) continue;
      ++unclear;
      for (std::int64_t i = 0; i < before.more_runs; ++i) {
        machine.add_block(group.first, group.second, truth);
      }
      told += decided().verdict != Verdict::unclear ? 1 : 0;
    }
    std::printf("truth %g unclear %d told %d\n", truth, unclear, told);
    EXPECT_GE(told, unclear / 2) << truth;
  }
}

}  // namespace
}  // namespace tacho
