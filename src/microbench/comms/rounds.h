#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <vector>

#include "machine/comm/rendezvous.h"
#include "microbench/memory/comms_survey.h"

namespace tacho {

// Times collective operations. Rank 0 decides how many calls all ranks make.
class Rounds {
 public:
  using Step = std::function<Result<void>()>;
  using Trial = std::function<Result<double>()>;  // seconds
  Rounds(Rendezvous& rendezvous, int rank, int ranks, const std::atomic<bool>& stop)
      : rendezvous_(rendezvous), rank_(rank), ranks_(ranks), stop_(stop) {}

  // Returns false once any rank was asked to stop. All methods are collective.
  Result<bool> may_continue();

  // Times all calls of a round together, after the barrier `meet`, which ranks may leave at
  // slightly different times. The time of a round is that of its slowest rank.
  Result<bandwidth::RoundTimes> time(const Step& meet, const Step& call,
                                     std::chrono::duration<double> budget);

  // Runs trials that return their own time, alternating, so that disturbances affect all of them.
  Result<std::vector<bandwidth::RoundTimes>> time_in_turn(const std::vector<Trial>& trials,
                                                          int rounds);

 private:
  struct Plan {
    int calls = 1;
    int rounds = 1;
  };
  Result<Plan> plan(const Step& meet, const Step& call, std::chrono::duration<double> budget);
  // Returns seconds per call.
  static Result<double> round_of(const Step& meet, const Step& call, int calls);
  Result<bandwidth::RoundTimes> slowest_of(const std::vector<double>& mine);

  Rendezvous& rendezvous_;
  int rank_;
  int ranks_;
  const std::atomic<bool>& stop_;
};

}  // namespace tacho
