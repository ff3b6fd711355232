#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "advise/predictors.h"
#include "base/result.h"
#include "learn/range.h"

namespace tacho {

// Per GPU, that can be asked for.
inline constexpr std::int64_t kLargestBatch = 1 << 20;

// What someone wants to know before renting.
struct Wish {
  Job job;
  double target = 0;  // accuracy, 0 … 1
  std::optional<double> deadline_hours;
  std::optional<double> budget_usd;
  std::int64_t max_nodes = 1;
  bool spot = false;  // pay the spot price where there is one
  std::vector<Precision> precisions = {Precision::bf16, Precision::fp16, Precision::fp32};
  std::vector<std::int64_t> batches = {};  // per GPU; empty: powers of two from 8 to 1,024
  std::string title = {};                  // of what is no model on a dataset
  std::string command = {};                // … and how it is run
};

struct Offer {
  Plan plan;
  bool spot = false;
  StepForecast step;
  Range epochs;
  Range hours;
  Range dollars;
  // That the deadline and the budget hold, 0 … 1, as far as the intervals tell.
  double chance = 1;
  bool on_front = false;  // none is both cheaper and faster
  std::vector<std::string> warnings;
  std::string against_first;  // why the first one was put before it; "" for the first
};

// "resnet50 on imagenet to 0.75"
std::string title_of(const Wish& wish);

struct Recommendation {
  Wish wish;
  std::string epochs_basis;
  // The best plan of every instance and number of nodes: what meets the wish, the cheapest first;
  // with a budget and no deadline the fastest.
  std::vector<Offer> offers;
  bool met = true;                              // by some offer: the deadline, the budget
  std::map<std::string, std::size_t> left_out;  // reason to number of plans
};

// ErrorCode::unavailable where no plan can be foretold at all, with the commonest reason.
Result<Recommendation> recommend(const Wish& wish, const std::vector<Instance>& instances,
                                 const StepPredictor& steps, const EpochPredictor& epochs);

// The command that runs an offer, on machine 0 of several.
std::string command_of(const Wish& wish, const Offer& offer);

}  // namespace tacho
