#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/estimate.h"
#include "base/result.h"
#include "predict/rent/predictors.h"

namespace tacho {

// The largest valid batch per GPU.
inline constexpr std::int64_t kLargestBatch = 1 << 20;

// A request for a recommendation.
struct Requirements {
  Job job;
  double target = 0;  // accuracy (0 … 1) or loss; 0: what trainings of the pair usually reach
  TargetMetric metric = TargetMetric::top1;
  std::optional<double> deadline_hours;
  std::optional<double> budget_usd;
  std::int64_t max_nodes = 1;
  bool spot = false;  // use the spot price if there is one
  std::vector<Precision> precisions = {Precision::bf16, Precision::fp16, Precision::fp32};
  std::vector<std::int64_t> batches = {};  // per GPU; empty: powers of two from 8 to 1,024
  std::string title = {};                  // for jobs that are not a model on a dataset
  std::string command = {};                // the command of such a job
  bool batch_known = true;                 // false: the program's batch was not recorded
};

struct Offer {
  Plan plan;
  bool spot = false;
  StepPrediction step;
  Estimate epochs;
  std::string options = {};  // of 'tacho train', with which the epochs were measured
  Estimate hours;
  Estimate dollars;
  // Probability of meeting the deadline and the budget, from the intervals.
  double probability = 1;
  bool on_front = false;  // no other offer is both cheaper and faster
  std::vector<std::string> warnings;
  std::string against_first;  // comparison with the first offer; "" for the first
};

// "resnet50 on imagenet to 0.75"
std::string title_of(const Requirements& requirements);

// A reason for which plans cannot be offered.
struct LeftOut {
  std::string reason;
  std::size_t plans = 0;
  std::size_t with_gpu = 0;  // of these, plans on machines with a GPU
};

struct Recommendation {
  Requirements requirements;  // with the target, also if none was given
  std::string target_basis;   // where a target that was not given comes from
  std::string epochs_basis;
  // The best plan per instance and number of nodes, without those that another one with the same
  // GPUs makes pointless. Offers that meet deadline and budget come first, by price; with a budget
  // and no deadline by time.
  std::vector<Offer> offers;
  bool met = true;                // some offer meets the deadline and the budget
  std::vector<LeftOut> left_out;  // most important reason first
};

// Returns ErrorCode::unavailable if the epochs are unknown, or with the most common reason if no
// plan can be predicted.
Result<Recommendation> recommend(const Requirements& requirements,
                                 const std::vector<Instance>& instances, const StepPredictor& steps,
                                 const EpochPredictor& epochs);

// Returns ErrorCode::unavailable, with the fastest or cheapest offer, if none meets the deadline
// and the budget.
Result<void> check_met(const Recommendation& made);

// Returns the command for an offer, on machine 0 of several.
std::string command_of(const Requirements& requirements, const Offer& offer);

}  // namespace tacho
