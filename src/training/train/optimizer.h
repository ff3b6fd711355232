#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/record/run_spec.h"
#include "training/train/torch_api.h"

#ifdef TACHO_CUDA
#include "training/train/cuda/device_step.h"
#endif

namespace tacho {

// Converts a model to 16-bit weights, except those that stay fp32 in every precision.
void lower(torch::nn::Module& model, at::ScalarType type);

// SGD, Adam and AdamW with the semantics of torch.optim, in one pass over each parameter's memory
// instead of four to twelve; on a GPU in one kernel for all parameters.
class Optimizer {
 public:
  using Named = std::vector<std::pair<std::string, at::Tensor>>;

  struct Options {
    std::optional<double> clip_norm;  // gradients are clipped to this norm
    Precision precision = Precision::fp32;
    // Parameters of the head have a separate learning rate: `head_factor` × that of the others.
    std::function<bool(const std::string& name)> is_head = {};
    double head_factor = 1;
  };

  // Frozen parameters, which require no gradient, have weights but no moments. Takes over the
  // model's weights: for bf16 and fp16 the optimizer keeps them in fp32 and gives the model 16-bit
  // copies. Batch norms stay in fp32.
  Optimizer(const OptimizerSpec& spec, torch::nn::Module& model, const Options& options);
  Optimizer(const OptimizerSpec& spec, torch::nn::Module& model)
      : Optimizer(spec, model, Options()) {}

  // Returns true if a layer's weights are fp32 in every precision.
  static bool stays_fp32(const torch::nn::Module& layer);

  // Returns the tensor to call backward() on: with fp16 the loss is scaled up, so that its
  // gradients do not vanish.
  [[nodiscard]] at::Tensor scaled(const at::Tensor& loss) const;

  // Applies the gradients with this learning rate and drops them. A parameter without a gradient is
  // unchanged. The two halves are separate for CUDA graphs, which contain only the second.
  void step(double learning_rate) {
    begin_step(learning_rate);
    apply_gradients();
  }
  void begin_step(double learning_rate);
  void apply_gradients();
  void drop_gradients();

  // State for resuming: the weights in fp32, the moments, the loss scale, and the number of steps.
  [[nodiscard]] Named weights() const;
  [[nodiscard]] Named state() const;
  // With fp16 on a GPU: the loss scale and its history. Writing to these tensors restores it.
  [[nodiscard]] Named scaling() const;
  // Call after writing to weights().
  void give_weights_to_model();
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  void restore_steps(std::int64_t steps) { steps_ = steps; }

 private:
  struct Slot {
    std::string name;
    at::Tensor parameter;  // the model's
    at::Tensor weights;    // fp32; the same tensor if the model computes in fp32
    at::Tensor first;      // momentum or first moment; undefined if not needed
    at::Tensor second;     // the second moment
    bool head = false;
  };
  void step_on_cpu();
  void update_on_cpu();
  [[nodiscard]] torch_api::Traffic traffic() const;
  [[nodiscard]] double clip_factor() const;

  OptimizerSpec spec_;
  Options options_;
  std::vector<Slot> slots_;
  std::int64_t steps_ = 0;
  double learning_rate_ = 0;
#ifdef TACHO_CUDA
  std::optional<DeviceStep> on_device_;
#endif
};

}  // namespace tacho
