#include "microbench/comms/rounds.h"

#include <algorithm>

#include "microbench/comms/gather_numbers.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

Result<bool> Rounds::may_continue() {
  TACHO_TRY(stops, gather_numbers(rendezvous_, rank_, ranks_, {stop_ ? 1. : 0.}));
  return std::ranges::all_of(stops, [](const auto& rank) { return rank[0] == 0; });
}

// Starts with one call and multiplies by eight until a round is long enough: on a busy machine a
// single call says little about a thousand.
Result<Rounds::Plan> Rounds::plan(const Step& meet, const Step& call,
                                  std::chrono::duration<double> budget) {
  constexpr double kRound = 0.01;  // seconds: far more than the clock and a barrier take
  constexpr int kGrowth = 8;
  constexpr int kMostCalls = 4096;
  constexpr int kFewest = 3;
  constexpr int kMost = 51;
  for (int calls = 1;; calls *= kGrowth) {
    TACHO_TRY(mine, round_of(meet, call, calls));
    TACHO_TRY(seconds, gather_numbers(rendezvous_, rank_, ranks_, {mine * calls}));
    const double round = std::max(seconds[0][0], 1e-9);
    if (round < kRound && calls < kMostCalls) continue;
    const int fewer = std::clamp(static_cast<int>(calls * kRound / round), 1, calls);
    const double planned = round * fewer / calls;
    const double rounds = std::clamp<double>(budget.count() / planned, kFewest, kMost);
    return Plan{fewer, static_cast<int>(rounds)};
  }
}

Result<double> Rounds::round_of(const Step& meet, const Step& call, int calls) {
  TACHO_CHECK(meet());
  const auto begin = Clock::now();
  for (int i = 0; i < calls; ++i) TACHO_CHECK(call());
  return seconds_since(begin) / calls;
}

Result<bandwidth::RoundTimes> Rounds::slowest_of(const std::vector<double>& mine) {
  TACHO_TRY(all, gather_numbers(rendezvous_, rank_, ranks_, mine));
  std::vector<double> slowest(mine.size());
  for (const auto& rank : all) {
    for (std::size_t i = 0; i < slowest.size(); ++i) slowest[i] = std::max(slowest[i], rank.at(i));
  }
  return bandwidth::round_times(slowest);
}

Result<bandwidth::RoundTimes> Rounds::time(const Step& meet, const Step& call,
                                           std::chrono::duration<double> budget) {
  TACHO_TRY(planned, plan(meet, call, budget));
  std::vector<double> seconds;
  for (int round = 0; round < planned.rounds; ++round) {
    TACHO_TRY(one, round_of(meet, call, planned.calls));
    seconds.push_back(one);
  }
  return slowest_of(seconds);
}

Result<std::vector<bandwidth::RoundTimes>> Rounds::time_in_turn(const std::vector<Trial>& trials,
                                                                int rounds) {
  std::vector<std::vector<double>> seconds(trials.size());
  for (int i = 0; i < rounds; ++i) {
    for (std::size_t at = 0; at < trials.size(); ++at) {
      TACHO_CHECK(rendezvous_.agree("round", {}));
      TACHO_TRY(one, trials[at]());
      seconds[at].push_back(one);
    }
  }
  std::vector<bandwidth::RoundTimes> times;
  for (const auto& mine : seconds) {
    TACHO_TRY(slowest, slowest_of(mine));
    times.push_back(slowest);
  }
  return times;
}

}  // namespace tacho
