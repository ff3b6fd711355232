#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "predict/accuracy/accuracy_levels.h"
#include "predict/accuracy/batch_law.h"
#include "predict/accuracy/crossing.h"
#include "predict/accuracy/epochs_answer.h"

namespace tacho {

// Errors for a model that was held out of the trainings on a dataset: logarithms of predicted over
// measured epochs, to several accuracies.
struct HeldOutModel {
  std::string model;
  std::string data;
  std::vector<double> errors;
};
// Half of the interval that 90 % of them are in.
double half_width_of(std::span<const HeldOutModel> held_out);

// Predicts the epochs of a model on a dataset from trainings of other models on it: each gives the
// epochs to the same share of its highest accuracy, and the answer is their geometric mean. The
// interval covers 90 % of known trainings whose model was held out.
class EpochTransfer {
 public:
  // Ignores trainings that began with given weights, or with a small part of a dataset.
  explicit EpochTransfer(std::span<const Curve> known);
  EpochTransfer(EpochTransfer&&) = default;
  EpochTransfer(const EpochTransfer&) = delete;

  // Abstains with ErrorCode::unavailable, "no prediction: …".
  [[nodiscard]] Result<EpochsAnswer> needed(const EpochsQuestion& question, double quality) const;
  // An accuracy that a model without trainings on a dataset reaches in three of four cases.
  [[nodiscard]] Result<double> likely_quality(const std::string& model,
                                              const std::string& data) const;
  // Points of the batch law: the epochs of trainings of a model to an accuracy, all or only own or
  // published ones. A result without a curve counts with the usual progress of curves.
  [[nodiscard]] std::vector<BatchPoint> points(const std::string& model, const std::string& data,
                                               double quality,
                                               std::optional<bool> own = std::nullopt) const;
  // Models with curves on a dataset that has several; only those for which it does not abstain.
  [[nodiscard]] const std::vector<HeldOutModel>& held_out() const { return held_out_; }
  // Samples of an epoch of a dataset, and the number of other models with trainings on it.
  [[nodiscard]] double epoch_samples(const std::string& data) const;
  [[nodiscard]] std::size_t others_on(const std::string& data, const std::string& model) const;

 private:
  struct Pair {
    std::vector<const Curve*> curves;
    double highest = 0;
    bool measured = false;  // some training has a curve, not only a result
  };
  [[nodiscard]] std::vector<HeldOutModel> hold_out() const;
  // Returns the logarithm of the epochs to a share of the highest accuracy, without `hidden`.
  [[nodiscard]] std::optional<double> log_epochs(const std::string& hidden, const std::string& data,
                                                 double share, double batch) const;
  // Says why there is no expected accuracy.
  [[nodiscard]] std::string without_level(const std::string& model, const std::string& data) const;

  std::vector<Curve> curves_;
  std::map<std::string, std::map<std::string, Pair>> datasets_;  // dataset to model
  Progress progress_;
  AccuracyLevels levels_;
  std::vector<HeldOutModel> held_out_;
};

}  // namespace tacho
