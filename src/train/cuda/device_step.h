#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernels.h"
#include "record/run_spec.h"
#include "train/torch_api.h"

namespace tacho {

// An optimizer's step on a GPU: one kernel for all parameters. The learning rate and the loss's
// scale lie in device memory, so that a captured step follows the schedule.
class DeviceStep {
 public:
  struct Slot {
    at::Tensor parameter;  // what the model computes with; carries the gradient
    at::Tensor weights;    // fp32; the same tensor unless the model computes in 16 bits
    at::Tensor first;
    at::Tensor second;
  };
  struct Options {
    std::optional<double> clip_norm;
    bool scale_loss = false;  // fp16: gradients of the loss itself would vanish
  };

  DeviceStep(const OptimizerSpec& spec, const Options& options, std::vector<Slot> slots);

  // Never captured: tells the device what this step's figures are.
  void begin(double learning_rate, std::int64_t step);
  // The loss as backward() should see it.
  [[nodiscard]] at::Tensor scaled(const at::Tensor& loss) const;
  // Applies the parameters' gradients.
  void apply();
  // Views, by name, of what scales the loss: a run that goes on takes it over. None where the loss
  // is not scaled.
  [[nodiscard]] std::vector<std::pair<std::string, at::Tensor>> scaling() const;

 private:
  struct Table {
    std::vector<const void*> gradients;  // whose addresses it holds
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
  std::vector<Table> captured_;  // which graphs read at every replay, and so stay
};

}  // namespace tacho
