#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "load/slo.h"

namespace tacho::load {

// One rate that was tried; of several tests of the same rate, the last one's figures and the
// judgement of all.
struct Trial {
  double rate = 0;
  int tests = 0;
  Judgement judgement;
  Measured measured;
};

struct Search {
  std::vector<Trial> trials;        // in the order they were made
  std::optional<std::size_t> best;  // the trial of the highest rate that kept it
  // The lowest rate that did not keep it, or of which it cannot be told; absent where none failed.
  std::optional<double> fails_from;
  bool unclear = false;  // of `fails_from` it cannot be told
  bool interrupted = false;
};

// A test at so many requests a second.
using RateTest = std::function<Result<Measured>(double rate)>;
using TrialView = std::function<void(const Trial&)>;

struct SearchOptions {
  double first_rate = 1;
  double lowest_rate = 1;  // below which there is nothing to look for
  double highest_rate = 1e6;
  double resolution = 0.05;  // what is kept and what is not lie at most so far apart
  int most_tests = 3;        // at one rate, while chance could explain either verdict
};

// Below this rate so few requests come in all the tests of a rate, each of `duration`, that nobody
// could say that the objective is kept.
double lowest_rate_to_tell(const Slo& slo, const SearchOptions& options, Nanoseconds duration);

// The highest rate that keeps an objective: doubled or halved until one keeps it and another does
// not, then halfway between them. The highest that kept it is tried once more in the end; if it
// does not keep it again, the search goes on below.
Result<Search> find_highest_rate(const Slo& slo, const SearchOptions& options, const RateTest& test,
                                 const TrialView& view);

}  // namespace tacho::load
