#pragma once

#include "training/train/optimizer.h"

namespace tacho {

// An exponential moving average of a model's weights and of its batch norms' statistics:
// average = decay × average + (1 − decay) × value after each update, from the first values on.
class WeightAverage {
 public:
  WeightAverage(double decay, const torch::nn::Module& model, const Optimizer& optimizer);

  // Call after each update of the weights.
  void add();
  // Exchanges the model's values with the average: for evaluation and saving, and back.
  void swap(Optimizer& optimizer);
  // While swapped, the values that training continues with. Writing to them restores them.
  [[nodiscard]] const Optimizer::Named& other() const { return averages_; }

 private:
  double decay_;
  std::vector<at::Tensor> values_;
  Optimizer::Named averages_;
};

}  // namespace tacho
