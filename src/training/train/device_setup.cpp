#include "training/train/device_setup.h"

#ifdef TACHO_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace tacho {

#ifdef TACHO_CUDA
class DeviceSetup::Held {
 public:
  Held(const RunSpec& spec, int number) : stream_(stream_of(number)) {
    torch_api::allow_tf32(spec.precision == Precision::tf32);
    at::globalContext().setBenchmarkCuDNN(true);
  }

 private:
  static c10::cuda::CUDAStream stream_of(int number) {
    const int gpus = c10::cuda::device_count();
    if (gpus > 1) c10::cuda::set_device(static_cast<c10::DeviceIndex>(number % gpus));
    return c10::cuda::getStreamFromPool(false);
  }

  c10::cuda::CUDAStreamGuard stream_;
};
#else
class DeviceSetup::Held {
 public:
  Held(const RunSpec& /*spec*/, int /*number*/) {}
};
#endif

DeviceSetup::DeviceSetup(const RunSpec& spec, int number) {
  if (spec.device == Device::cuda) held_ = std::make_unique<Held>(spec, number);
}

DeviceSetup::~DeviceSetup() = default;

std::int64_t peak_device_memory_bytes(const RunSpec& spec) {
#ifdef TACHO_CUDA
  if (spec.device == Device::cuda) {
    return c10::cuda::CUDACachingAllocator::getDeviceStats(c10::cuda::current_device())
        .allocated_bytes[0]
        .peak;
  }
#endif
  (void)spec;
  return 0;
}

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

std::unique_ptr<StepEngine> make_engine(const StepParts& parts) {
#ifdef TACHO_CUDA
  if (parts.spec.device == Device::cuda) return make_cuda_engine(parts);
#endif
  return make_cpu_engine(parts);
}

}  // namespace tacho
