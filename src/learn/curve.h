#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/run_record.h"

namespace tacho {

// How a training was set up, as far as it shapes its learning curve.
struct CurveSetting {
  std::string model;
  std::string data;
  std::string recipe;  // optimizer and whatever else sets one way to train a task apart
  std::string system;  // who ran it, and where
  // The learning rate falls along a plan that stretches with the planned epochs: such curves are
  // alike by the share of the plan, others by the epoch.
  bool decays = false;
  double batch = 0;  // samples a step, of all ranks
  std::optional<double> learning_rate;
  double epoch_samples = 0;
  double planned_epochs = 0;
};

// Accuracy, 0 … 1, after so many epochs; both lists ascend in time and are equally long.
struct Curve {
  CurveSetting setting;
  std::vector<double> epochs;
  std::vector<double> accuracy;
  std::optional<double> eval_samples = {};  // that each accuracy was measured on
  std::string source;
  bool own = false;  // trained here, not published

  // The same curve when only its first `points` had been measured.
  [[nodiscard]] Curve first(std::size_t points) const;
};

bool same_task(const CurveSetting& a, const CurveSetting& b);

// Of a run that is ordered; its epoch_samples are 0 where the order leaves them to the dataset.
CurveSetting curve_setting(const RunOrder& order);

// Nothing for a run without epochs, a watched program or one on synthetic data.
std::optional<Curve> curve_of(const RunRecord& record);

}  // namespace tacho
