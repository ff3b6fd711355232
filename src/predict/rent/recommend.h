#pragma once

#include <cstdint>
#include <map>
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
  double target = 0;  // accuracy, 0 … 1
  std::optional<double> deadline_hours;
  std::optional<double> budget_usd;
  std::int64_t max_nodes = 1;
  bool spot = false;  // use the spot price if there is one
  std::vector<Precision> precisions = {Precision::bf16, Precision::fp16, Precision::fp32};
  std::vector<std::int64_t> batches = {};  // per GPU; empty: powers of two from 8 to 1,024
  std::string title = {};                  // for jobs that are not a model on a dataset
  std::string command = {};                // the command of such a job
};

struct Offer {
  Plan plan;
  bool spot = false;
  StepPrediction step;
  Estimate epochs;
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

struct Recommendation {
  Requirements requirements;
  std::string epochs_basis;
  // The best plan per instance and number of nodes. Offers that meet deadline and budget come
  // first, by price; with a budget and no deadline by time.
  std::vector<Offer> offers;
  bool met = true;                              // some offer meets the deadline and the budget
  std::map<std::string, std::size_t> left_out;  // abstention reason to number of plans
};

// Returns ErrorCode::unavailable with the most common reason if no plan can be predicted.
Result<Recommendation> recommend(const Requirements& requirements,
                                 const std::vector<Instance>& instances, const StepPredictor& steps,
                                 const EpochPredictor& epochs);

// Returns the command for an offer, on machine 0 of several.
std::string command_of(const Requirements& requirements, const Offer& offer);

}  // namespace tacho
