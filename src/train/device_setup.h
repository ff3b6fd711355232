#pragma once

#include <memory>

#include "record/run_spec.h"
#include "train/models/classifier.h"
#include "train/step_engine.h"

namespace tacho {

// The device as a run wants it, as long as this lives: its precision, and on a GPU a stream of its
// own, for nothing that ran on the default one can be captured.
class DeviceSetup {
 public:
  // Of a machine's GPUs it takes the one with this number, in turn.
  explicit DeviceSetup(const RunSpec& spec, int number = 0);
  ~DeviceSetup();

 private:
  class Held;
  std::unique_ptr<Held> held_;
};

// The most memory in use on the run's GPU at once, so far; 0 where it trains on the CPU.
std::int64_t peak_device_memory_bytes(const RunSpec& spec);

// Convolutions on a GPU read channels-last images without turning them first.
bool uses_channels_last(const RunSpec& spec, Workload workload);
void to_channels_last(torch::nn::Module& model);

// A batch of images in the type and layout that the run computes with.
at::Tensor image_layout(const RunSpec& spec, const at::Tensor& images);

std::unique_ptr<StepEngine> make_engine(const StepParts& parts);

}  // namespace tacho
