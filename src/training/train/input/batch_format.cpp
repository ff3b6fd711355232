#include "training/train/input/batch_format.h"

#include "training/train/device_setup.h"

namespace tacho {

BatchFormat BatchFormat::of(const RunSpec& spec) {
  const bool interleaved = uses_channels_last(spec, Workload::convolution);
  return {.type = spec.precision == Precision::bf16 ? PixelType::bf16 : PixelType::f32,
          .layout = interleaved ? PixelLayout::interleaved : PixelLayout::planar,
          .pinned = spec.device == Device::cuda};
}

at::Tensor BatchFormat::images(std::int64_t count, const InputShape& shape) const {
  const auto options = at::TensorOptions()
                           .dtype(type == PixelType::bf16 ? at::kBFloat16 : at::kFloat)
                           .pinned_memory(pinned);
  return at::empty({count, shape.channels, shape.height, shape.width}, options,
                   layout == PixelLayout::interleaved ? at::MemoryFormat::ChannelsLast
                                                      : at::MemoryFormat::Contiguous);
}

at::Tensor BatchFormat::integers(at::IntArrayRef size) const {
  return at::zeros(size, at::TensorOptions().dtype(at::kLong).pinned_memory(pinned));
}

PixelTarget BatchFormat::place(const at::Tensor& images, std::int64_t row) const {
  auto* first = static_cast<std::byte*>(images.data_ptr());
  const auto one = static_cast<std::int64_t>(images.element_size()) * images.stride(0);
  return {.pixels = first + row * one,
          .type = type,
          .layout = layout,
          .channels = static_cast<int>(images.size(1)),
          .height = static_cast<int>(images.size(2)),
          .width = static_cast<int>(images.size(3))};
}

}  // namespace tacho
