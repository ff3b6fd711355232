#pragma once

#include <memory>

#include "core/record/run_spec.h"
#include "training/train/models/classifier.h"
#include "training/train/step_engine.h"

namespace tacho {

// Configures the device for a run during its lifetime: its precision and, on a GPU, a separate
// stream, because work on the default stream cannot be captured.
class DeviceSetup {
 public:
  // Uses GPU `number` modulo the number of GPUs.
  explicit DeviceSetup(const RunSpec& spec, int number = 0);
  ~DeviceSetup();

 private:
  class Held;
  std::unique_ptr<Held> held_;
};

// Returns the peak memory in use on the run's GPU so far; 0 if it trains on the CPU.
std::int64_t peak_device_memory_bytes(const RunSpec& spec);

// Convolutions on a GPU read channels-last images without converting them first.
bool uses_channels_last(const RunSpec& spec, Workload workload);
void to_channels_last(torch::nn::Module& model);

// Converts a batch of images to the type and layout that the run computes with.
at::Tensor image_layout(const RunSpec& spec, const at::Tensor& images);

std::unique_ptr<StepEngine> make_engine(const StepParts& parts);

}  // namespace tacho
