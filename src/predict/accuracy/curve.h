#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/record/run_record.h"

namespace tacho {

// The settings of a training that affect its learning curve.
struct CurveSetting {
  std::string model;
  std::string data;
  std::string recipe;  // optimizer and other choices that distinguish trainings of a task
  std::string system;  // publisher and machine
  // The learning rate falls along a schedule that stretches with the planned epochs: such curves
  // are compared by the share of the schedule, others by epoch.
  bool decays = false;
  double batch = 0;  // samples per step, of all ranks
  std::optional<double> learning_rate;
  double epoch_samples = 0;
  double planned_epochs = 0;
  std::string options = {};  // of 'tacho train', as far as they differ from the model's defaults
};

// Accuracy (0 … 1) by epoch; both lists ascend in time and have the same length.
struct Curve {
  CurveSetting setting;
  std::vector<double> epochs;
  std::vector<double> accuracy;
  std::vector<double> loss = {};            // of the evaluations; empty: unknown
  std::optional<double> eval_samples = {};  // number of samples of an evaluation
  std::string source;
  bool own = false;  // trained here, not published

  // Returns the curve with only its first `points`.
  [[nodiscard]] Curve first(std::size_t points) const;
};

// "sgd cosine 0.1": trainings with the same recipe and learning rate are comparable.
std::string recipe_with_rate(const CurveSetting& setting);

bool same_task(const CurveSetting& a, const CurveSetting& b);

// For a run that was ordered; epoch_samples is 0 if it depends on the dataset.
CurveSetting curve_setting(const RunOrder& order);

// Returns nothing for a run without epochs, a watched program, or synthetic data.
std::optional<Curve> curve_of(const RunRecord& record);

}  // namespace tacho
