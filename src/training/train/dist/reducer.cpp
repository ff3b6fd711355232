#include "training/train/dist/reducer.h"

#include <fmt/format.h>

namespace tacho {

class Reducer::Hook final : public torch::autograd::FunctionPostHook {
 public:
  Hook(Reducer& reducer, std::size_t slot) : reducer_(reducer), slot_(slot) {}
  torch::autograd::variable_list operator()(
      const torch::autograd::variable_list& outputs,
      const torch::autograd::variable_list& /*inputs*/) override {
    reducer_.gradient_made(slot_);
    return outputs;
  }

 private:
  Reducer& reducer_;
  std::size_t slot_;
};

Reducer::Reducer(BucketLine& line, const Options& options)
    : line_(line), options_(options), scale_(at::scalar_tensor(1.0 / options.ranks, at::kFloat)) {}

Result<std::unique_ptr<Reducer>> Reducer::make(torch::nn::Module& model, BucketLine& line,
                                               const Options& options) {
  std::unique_ptr<Reducer> reducer(new Reducer(line, options));
  TACHO_CHECK(reducer->lay_out(model));
  return reducer;
}

Reducer::~Reducer() {
  for (const Slot& slot : slots_) {
    if (slot.accumulator) slot.accumulator->del_post_hook(slot.hook);
  }
}

Result<void> Reducer::lay_out(torch::nn::Module& model) {
  std::vector<at::Tensor> parameters;
  for (const auto& item : model.named_parameters()) {
    if (!item.value().requires_grad()) continue;  // frozen
    parameters.push_back(item.value());
    slots_.push_back({.name = item.key(), .parameter = item.value()});
  }
  for (const Bucket& bucket : plan_buckets(parameters, options_.bucket_mb)) {
    at::Tensor values;
    if (!line_.works_in_place()) {
      TACHO_TRY(block, line_.allocate(bucket.count));
      values = block;
    }
    std::int64_t at = 0;
    for (const std::size_t i : bucket.parameters) {
      Slot& slot = slots_[i];
      slot.bucket = buckets_.size();
      if (values.defined()) {
        slot.place = values.as_strided(slot.parameter.sizes(), slot.parameter.strides(),
                                       values.storage_offset() + at);
      }
      slot.accumulator = torch::autograd::impl::grad_accumulator(slot.parameter);
      slot.hook = slot.accumulator->add_post_hook(std::make_unique<Hook>(*this, i));
      at += slot.parameter.numel();
    }
    buckets_.push_back({values, bucket.parameters, 0});
  }
  return {};
}

void Reducer::begin() {
  for (Slot& slot : slots_) slot.is_ready = false;
  for (Filling& bucket : buckets_) bucket.missing = bucket.slots.size();
  next_ = 0;
  exchanges_ = true;
  begun_ = std::chrono::steady_clock::now();
}

void Reducer::gradient_made(std::size_t i) {
  Slot& slot = slots_[i];
  if (!exchanges_ || slot.is_ready) return;
  if (!line_.works_in_place()) {
    const torch::NoGradGuard no_grad;
    at::mul_out(slot.place, slot.parameter.grad(), scale_);
    slot.parameter.mutable_grad().reset();
  }
  slot.is_ready = true;
  --buckets_[slot.bucket].missing;
  if (options_.overlap) send_full();
}

void Reducer::send_full() {
  for (; next_ < buckets_.size() && buckets_[next_].missing == 0; ++next_) {
    const Filling& bucket = buckets_[next_];
    line_.send(next_, line_.works_in_place() ? gradients_of(bucket) : std::vector{bucket.values});
  }
}

std::vector<at::Tensor> Reducer::gradients_of(const Filling& bucket) {
  const torch::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  for (const std::size_t i : bucket.slots) {
    const at::Tensor& parameter = slots_[i].parameter;
    at::Tensor& gradient = slots_[i].parameter.mutable_grad();
    // A gradient with other strides must match the layout on the other ranks.
    if (gradient.strides() != parameter.strides()) {
      gradient = at::empty_like(parameter).copy_(gradient);
    }
    gradients.push_back(gradient);
  }
  return gradients;
}

Result<ExchangeTimes> Reducer::finish() {
  exchanges_ = false;
  const auto end = std::chrono::steady_clock::now();
  for (const Slot& slot : slots_) {
    if (slot.is_ready) continue;
    return Error{
        ErrorCode::failed,
        fmt::format("parameter '{}' got no gradient on rank {}: all parameters must be used in "
                    "every step of a distributed run",
                    slot.name, options_.rank)};
  }
  send_full();
  TACHO_TRY(times, line_.finish());
  times.backward_seconds = std::chrono::duration<double>(end - begun_).count();
  if (line_.works_in_place()) return times;
  for (Slot& slot : slots_) slot.parameter.mutable_grad() = slot.place;
  return times;
}

}  // namespace tacho
