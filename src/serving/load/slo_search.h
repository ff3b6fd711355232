#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "serving/load/slo.h"

namespace tacho::load {

// One tested rate. With several tests at the same rate: the metrics of the last and the judgement
// of all.
struct Trial {
  double rate = 0;
  int tests = 0;
  Judgement judgement;
  Measured measured;
};

struct Search {
  std::vector<Trial> trials;        // in order
  std::optional<std::size_t> best;  // the trial with the highest rate that met the objective
  // The lowest rate that did not meet it, or for which the result is unclear; absent if none
  // failed.
  std::optional<double> fails_from;
  bool unclear = false;  // the result at `fails_from` is unclear
  bool interrupted = false;
};

// Runs a test at `rate` requests per second.
using RateTest = std::function<Result<Measured>(double rate)>;
using TrialView = std::function<void(const Trial&)>;

struct SearchOptions {
  double first_rate = 1;
  double lowest_rate = 1;  // lower bound of the search
  double highest_rate = 1e6;
  double resolution = 0.05;  // relative distance of passing and failing rate at the end
  int max_tests = 3;         // per rate, while the result is unclear
};

// The lowest rate at which all tests of a rate, each of `duration`, have enough requests to show
// that the objective is met.
double lowest_testable_rate(const Slo& slo, const SearchOptions& options, Nanoseconds duration);

// Finds the highest rate that meets an objective: doubles or halves the rate until one meets it and
// another does not, then bisects. Tests the best rate once more at the end; if it fails then, the
// search continues below.
Result<Search> find_highest_rate(const Slo& slo, const SearchOptions& options, const RateTest& test,
                                 const TrialView& view);

}  // namespace tacho::load
