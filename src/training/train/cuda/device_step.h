#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/record/run_spec.h"
#include "training/kernels/kernels.h"
#include "training/train/torch_api.h"

namespace tacho {

// An optimizer's step on a GPU: one kernel for all parameters. The learning rate and the loss scale
// are in device memory, so that a captured step follows the schedule.
class DeviceStep {
 public:
  struct Slot {
    at::Tensor parameter;  // used by the model; carries the gradient
    at::Tensor weights;    // fp32; the same tensor unless the model computes in 16 bits
    at::Tensor first;
    at::Tensor second;
    bool head = false;  // has the learning rate of the head
  };
  struct Options {
    std::optional<double> clip_norm;
    bool scale_loss = false;  // fp16: unscaled gradients would vanish
    double head_factor = 1;   // learning rate of the head over that of the others
  };

  DeviceStep(const OptimizerSpec& spec, const Options& options, std::vector<Slot> slots);

  // Never captured: sends the values of this step to the device.
  void begin(double learning_rate, std::int64_t step);
  // Returns the tensor to call backward() on.
  [[nodiscard]] at::Tensor scaled(const at::Tensor& loss) const;
  // Applies the parameters' gradients.
  void apply();
  // Named views of the loss scale's state, which a resumed run restores. Empty if the loss is not
  // scaled.
  [[nodiscard]] std::vector<std::pair<std::string, at::Tensor>> scaling() const;

 private:
  struct Table {
    std::vector<const void*> gradients;  // their addresses
    at::Tensor on_host;                  // pinned: a captured copy reads it at each replay
    at::Tensor on_device;
  };
  [[nodiscard]] const Table& current_table();
  [[nodiscard]] static Table make_table(std::vector<const void*> gradients,
                                        const std::vector<kernels::Parameter>& rows);
  [[nodiscard]] kernels::StepState* state() const;

  OptimizerSpec spec_;
  Options options_;
  std::vector<Slot> slots_;
  kernels::DataType gradient_type_ = kernels::DataType::f32;
  at::Tensor state_;
  at::Tensor loss_scale_;  // a view of it
  at::Tensor chunks_;
  at::Tensor squares_;
  std::int64_t chunk_count_ = 0;
  std::vector<Table> tables_;    // of the latest steps
  std::vector<Table> captured_;  // read by graphs at every replay, therefore kept
};

}  // namespace tacho
