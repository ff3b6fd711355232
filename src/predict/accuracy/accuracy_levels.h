#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/estimate.h"
#include "predict/accuracy/curve.h"

namespace tacho {

// The highest known accuracy of a model on a dataset.
struct PairLevel {
  std::string model;
  std::string data;
  double accuracy = 0;
};
std::vector<PairLevel> pair_levels(std::span<const Curve> curves);

// Predicts the accuracy that a model reaches on a dataset from other models on it and from the
// model on others: the logit of an accuracy is the sum of how easy the dataset and how strong the
// model is. The interval covers 90 % of known pairs that were predicted from all others.
class AccuracyLevels {
 public:
  explicit AccuracyLevels(std::vector<PairLevel> pairs);

  // Without the pair's own accuracy. Returns nothing for a dataset without known accuracies of
  // other models.
  [[nodiscard]] std::optional<Estimate> expected(const std::string& model,
                                                 const std::string& data) const;
  // The same, or the pair's accuracy if it is known.
  [[nodiscard]] std::optional<Estimate> known_or_expected(const std::string& model,
                                                          const std::string& data) const;

 private:
  struct Sum {
    double logit = 0;
    bool knows_model = false;
    double gap = 0;  // strength of the weakest other model on the dataset, above that of the model
  };
  // Ignores the pair itself, and with `alone` also the model on other datasets.
  [[nodiscard]] std::optional<Sum> without(const std::string& model, const std::string& data,
                                           bool alone) const;

  std::vector<PairLevel> pairs_;
  double reach_known_ = 0;    // half of the interval, in logits, for a model known elsewhere
  double reach_unknown_ = 0;  // for others
};

}  // namespace tacho
