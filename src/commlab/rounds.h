#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <vector>

#include "bandwidth/comms_survey.h"
#include "comm/rollcall.h"

namespace tacho {

// Times what all ranks do together. Every rank makes as many calls as the others: rank 0 decides
// how many.
class Rounds {
 public:
  using Step = std::function<Result<void>()>;
  using Trial = std::function<Result<double>()>;  // seconds
  Rounds(Rollcall& rollcall, int rank, int ranks, const std::atomic<bool>& stop)
      : rollcall_(rollcall), rank_(rank), ranks_(ranks), stop_(stop) {}

  // Whether no rank was asked to stop. Collective, as is all of it.
  Result<bool> goes_on();

  // The calls of a round are timed together, after `meet`: a rank may leave that a little ahead of
  // the others. A round is as long as its slowest rank took.
  Result<bandwidth::RoundTimes> time(const Step& meet, const Step& call,
                                     std::chrono::duration<double> budget);

  // Trials that know their own time, in alternation: what disturbs one disturbs the others.
  Result<std::vector<bandwidth::RoundTimes>> time_in_turn(const std::vector<Trial>& trials,
                                                          int rounds);

 private:
  struct Plan {
    int calls = 1;
    int rounds = 1;
  };
  Result<Plan> plan(const Step& meet, const Step& call, std::chrono::duration<double> budget);
  // Seconds a call.
  static Result<double> round_of(const Step& meet, const Step& call, int calls);
  Result<bandwidth::RoundTimes> slowest_of(const std::vector<double>& mine);

  Rollcall& rollcall_;
  int rank_;
  int ranks_;
  const std::atomic<bool>& stop_;
};

}  // namespace tacho
