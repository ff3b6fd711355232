#include "training/train/cuda/device_step.h"

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_runtime.h>

#include <ATen/cuda/CUDAGraphsUtils.cuh>
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "training/train/cuda/data_type.h"

namespace tacho {
namespace {

constexpr float kFirstScale = 65536;       // same as torch's GradScaler
constexpr std::int32_t kGrowAfter = 2000;  // … which also doubles after this many good steps
// Gradients reuse the same few addresses; more tables are not worth keeping.
constexpr std::size_t kMostTables = 8;

template <class T>
at::Tensor to_device(const std::vector<T>& values, const at::Device& device) {
  const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(T));
  at::Tensor on_host = at::empty({bytes}, at::kByte);
  std::memcpy(on_host.data_ptr(), values.data(), static_cast<std::size_t>(bytes));
  return on_host.to(device);
}

float* floats_of(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
}

}  // namespace

DeviceStep::DeviceStep(const OptimizerSpec& spec, const Options& options, std::vector<Slot> slots)
    : spec_(spec), options_(options), slots_(std::move(slots)) {
  TORCH_CHECK(!slots_.empty(), "the model has no parameters");
  const at::Device device = slots_.front().parameter.device();
  std::vector<kernels::Chunk> chunks;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    TORCH_CHECK(is_aligned(slot.parameter) && is_aligned(slot.weights),
                "a parameter is not aligned for the optimizer's kernel");
    if (!slot.parameter.is_same(slot.weights)) gradient_type_ = data_type(slot.parameter);
    const std::int64_t parts = (slot.weights.numel() + kernels::kChunk - 1) / kernels::kChunk;
    for (std::int64_t part = 0; part < parts; ++part) {
      chunks.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(part)});
    }
  }
  chunk_count_ = static_cast<std::int64_t>(chunks.size());
  chunks_ = to_device(chunks, device);
  squares_ = at::empty({chunk_count_}, at::TensorOptions().device(device).dtype(at::kFloat));
  kernels::StepState first{};
  first.loss_scale = kFirstScale;
  state_ = to_device(std::vector{first}, device);
  loss_scale_ = at::from_blob(&state()->loss_scale, {}, squares_.options());
}

kernels::StepState* DeviceStep::state() const {
  return static_cast<kernels::StepState*>(state_.data_ptr());
}

void DeviceStep::begin(double learning_rate, std::int64_t step) {
  kernels::begin_step(state(),
                      {.learning_rate = learning_rate,
                       .head_factor = options_.head_factor,
                       .step = step,
                       .adam = spec_.kind != OptimizerKind::sgd,
                       .decoupled = spec_.kind == OptimizerKind::adamw,
                       .beta1 = spec_.beta1,
                       .beta2 = spec_.beta2,
                       .weight_decay = spec_.weight_decay},
                      at::cuda::getCurrentCUDAStream().stream());
}

at::Tensor DeviceStep::scaled(const at::Tensor& loss) const {
  return options_.scale_loss ? loss * loss_scale_ : loss;
}

std::vector<std::pair<std::string, at::Tensor>> DeviceStep::scaling() const {
  if (!options_.scale_loss) return {};
  const auto whole = squares_.options().dtype(at::kInt);
  // Adam's step count excludes skipped steps.
  return {{"loss_scale", loss_scale_},
          {"good_steps", at::from_blob(&state()->good_steps, {}, whole)},
          {"skipped", at::from_blob(&state()->skipped, {}, whole)}};
}

const DeviceStep::Table& DeviceStep::current_table() {
  std::vector<const void*> gradients;
  std::vector<kernels::Parameter> rows;
  for (Slot& slot : slots_) {
    at::Tensor& gradient = slot.parameter.mutable_grad();
    // A parameter without a gradient is unchanged.
    const bool has = gradient.defined();
    // The gradient of a part of a fused product is a slice.
    if (has && (gradient.strides() != slot.parameter.strides() || !is_aligned(gradient))) {
      gradient = at::empty_like(slot.parameter).copy_(gradient);
    }
    const bool copied = !slot.parameter.is_same(slot.weights);
    rows.push_back({floats_of(slot.weights), copied ? slot.parameter.data_ptr() : nullptr,
                    has ? gradient.data_ptr() : nullptr, floats_of(slot.first),
                    floats_of(slot.second), has ? slot.weights.numel() : 0, slot.head ? 1 : 0});
    gradients.push_back(rows.back().gradient);
  }
  if (at::cuda::currentStreamCaptureStatus() != at::cuda::CaptureStatus::None) {
    return captured_.emplace_back(make_table(std::move(gradients), rows));
  }
  const auto known = std::find_if(tables_.begin(), tables_.end(),
                                  [&](const Table& table) { return table.gradients == gradients; });
  if (known != tables_.end()) return *known;
  if (tables_.size() >= kMostTables) {
    at::cuda::getCurrentCUDAStream().synchronize();
    tables_.erase(tables_.begin());
  }
  return tables_.emplace_back(make_table(std::move(gradients), rows));
}

DeviceStep::Table DeviceStep::make_table(std::vector<const void*> gradients,
                                         const std::vector<kernels::Parameter>& rows) {
  Table table{std::move(gradients), {}, {}};
  const auto bytes = static_cast<std::int64_t>(rows.size() * sizeof(kernels::Parameter));
  table.on_host = at::empty({bytes}, at::TensorOptions().dtype(at::kByte).pinned_memory(true));
  std::memcpy(table.on_host.data_ptr(), rows.data(), static_cast<std::size_t>(bytes));
  table.on_device = at::empty({bytes}, at::TensorOptions().dtype(at::kByte).device(at::kCUDA));
  C10_CUDA_CHECK(cudaMemcpyAsync(table.on_device.data_ptr(), table.on_host.data_ptr(),
                                 static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice,
                                 at::cuda::getCurrentCUDAStream().stream()));
  return table;
}

void DeviceStep::apply() {
  const Table& table = current_table();
  const bool adam = spec_.kind != OptimizerKind::sgd;
  const kernels::OptimizerStep step{
      .parameters = static_cast<const kernels::Parameter*>(table.on_device.data_ptr()),
      .chunks = static_cast<const kernels::Chunk*>(chunks_.data_ptr()),
      .chunk_count = chunk_count_,
      .gradients = gradient_type_,
      .state = state(),
      .squares = squares_.data_ptr<float>(),
      .adam = adam,
      .decoupled = spec_.kind == OptimizerKind::adamw,
      .nesterov = spec_.nesterov,
      .momentum = static_cast<float>(spec_.momentum),
      .beta1 = static_cast<float>(spec_.beta1),
      .beta2 = static_cast<float>(spec_.beta2),
      .epsilon = static_cast<float>(spec_.epsilon),
      .weight_decay = static_cast<float>(spec_.weight_decay),
      .clip_norm = static_cast<float>(options_.clip_norm.value_or(0)),
      .scaled = options_.scale_loss};
  const auto stream = at::cuda::getCurrentCUDAStream().stream();
  if (options_.clip_norm || options_.scale_loss) kernels::add_squares(step, stream);
  kernels::step(step, stream);
  if (options_.scale_loss) kernels::adapt_scale(state(), kGrowAfter, stream);
}

}  // namespace tacho
