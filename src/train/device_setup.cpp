#include "train/device_setup.h"

#ifdef TACHO_CUDA
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace tacho {

#ifdef TACHO_CUDA
class DeviceSetup::Held {
 public:
  explicit Held(const RunSpec& spec) : stream_(c10::cuda::getStreamFromPool(false)) {
    torch_api::allow_tf32(spec.precision == Precision::tf32);
    at::globalContext().setBenchmarkCuDNN(true);
  }

 private:
  c10::cuda::CUDAStreamGuard stream_;
};
#else
class DeviceSetup::Held {
 public:
  explicit Held(const RunSpec& /*spec*/) {}
};
#endif

DeviceSetup::DeviceSetup(const RunSpec& spec) {
  if (spec.device == Device::cuda) held_ = std::make_unique<Held>(spec);
}

DeviceSetup::~DeviceSetup() = default;

bool uses_channels_last(const RunSpec& spec, Workload workload) {
  if (spec.channels_last != Switch::automatic) return spec.channels_last == Switch::on;
  return spec.device == Device::cuda && workload == Workload::convolution;
}

void to_channels_last(torch::nn::Module& model) {
  for (at::Tensor& parameter : model.parameters()) {
    if (parameter.dim() != 4) continue;
    parameter.set_data(parameter.detach().contiguous(at::MemoryFormat::ChannelsLast));
  }
}

at::Tensor image_layout(const RunSpec& spec, const at::Tensor& images) {
  const at::ScalarType type = spec.precision == Precision::bf16   ? at::kBFloat16
                              : spec.precision == Precision::fp16 ? at::kHalf
                                                                  : at::kFloat;
  const auto format = uses_channels_last(spec, Workload::convolution)
                          ? at::MemoryFormat::ChannelsLast
                          : at::MemoryFormat::Contiguous;
  return images.to(images.options().dtype(type), false, false, format);
}

std::unique_ptr<StepEngine> make_engine(const RunSpec& spec, Classifier& model,
                                        Optimizer& optimizer) {
#ifdef TACHO_CUDA
  if (spec.device == Device::cuda) return make_cuda_engine(spec, model, optimizer);
#endif
  return make_cpu_engine(spec, model, optimizer);
}

}  // namespace tacho
