#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "record/run_spec.h"
#include "train/torch_api.h"

namespace tacho {

// SGD, Adam and AdamW with torch.optim's meaning. On the CPU a parameter is updated in one pass
// over its memory, where torch.optim makes four to twelve; elsewhere by torch's multi-tensor
// operations.
class Optimizer {
 public:
  using Named = std::vector<std::pair<std::string, at::Tensor>>;

  Optimizer(const OptimizerSpec& spec, const torch::nn::Module& model);

  // Applies the gradients at this learning rate and drops them. A parameter without a gradient
  // stays as it is.
  void step(double learning_rate);

  // Everything a resumed run needs: the moments by parameter name, and the steps made.
  [[nodiscard]] Named state() const;
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  void restore_steps(std::int64_t steps) { steps_ = steps; }

 private:
  struct Slot {
    std::string name;
    at::Tensor parameter;
    at::Tensor first;   // momentum, or the first moment; undefined where the kind needs none
    at::Tensor second;  // the second moment
  };
  void step_on_cpu(double learning_rate);
  void step_on_device(double learning_rate);

  OptimizerSpec spec_;
  std::vector<Slot> slots_;
  std::int64_t steps_ = 0;
};

}  // namespace tacho
