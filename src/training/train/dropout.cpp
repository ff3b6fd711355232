#include "training/train/dropout.h"

#include <ATen/CPUGeneratorImpl.h>

#include <cmath>
#include <mutex>

#include "base/vector_widths.h"

namespace tacho {
namespace {

// For fewer numbers, waking a second thread takes longer than the loop.
constexpr std::int64_t kGrain = 1 << 15;

struct Mask {
  std::uint64_t key;
  std::uint32_t dropped_below;  // a smaller hash drops its number
  float scale;
};

// Two multiply-xorshift rounds (the constants of Wellons' low-bias search, 2018).
inline std::uint32_t mixed(std::uint32_t x) {
  x ^= x >> 16U;
  x *= 0x21f0aaadU;
  x ^= x >> 15U;
  x *= 0xd35a2d97U;
  return x ^ (x >> 15U);
}

TACHO_EVERY_VECTOR_WIDTH
void mask_out(const float* __restrict in, float* __restrict out, std::int64_t from, std::int64_t to,
              Mask mask) {
  const auto low = static_cast<std::uint32_t>(mask.key);
  const auto high = static_cast<std::uint32_t>(mask.key >> 32U);
  for (std::int64_t i = from; i < to; ++i) {
    const std::uint32_t hash = mixed(mixed(static_cast<std::uint32_t>(i) + low) ^ high);
    out[i] = hash < mask.dropped_below ? 0 : in[i] * mask.scale;
  }
}

at::Tensor masked(const at::Tensor& given, const Mask& mask) {
  const at::Tensor in = given.contiguous();
  at::Tensor out = at::empty_like(in);
  const float* from = in.data_ptr<float>();
  float* to = out.data_ptr<float>();
  return torch_api::as_one_operation("tacho::dropout", {in}, [&] {
    at::parallel_for(0, in.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
      mask_out(from, to, begin, end, mask);
    });
    return out;
  });
}

struct Dropout : torch::autograd::Function<Dropout> {
  using Context = torch::autograd::AutogradContext;
  using Tensors = torch::autograd::variable_list;

  static at::Tensor forward(Context* context, const at::Tensor& input, std::int64_t key, double p) {
    context->saved_data["key"] = key;
    context->saved_data["p"] = p;
    return masked(input, mask_of(key, p));
  }
  static Tensors backward(Context* context, const Tensors& gradients) {
    const Mask mask =
        mask_of(context->saved_data["key"].toInt(), context->saved_data["p"].toDouble());
    return {masked(gradients[0], mask), at::Tensor(), at::Tensor()};
  }
  static Mask mask_of(std::int64_t key, double p) {
    return {static_cast<std::uint64_t>(key), static_cast<std::uint32_t>(std::ldexp(p, 32)),
            static_cast<float>(1 / (1 - p))};
  }
};

std::int64_t draw_key() {
  auto generator = torch_api::default_generator(at::kCPU);
  const std::lock_guard lock(generator.mutex());
  return static_cast<std::int64_t>(
      at::check_generator<at::CPUGeneratorImpl>(generator)->random64());
}

}  // namespace

at::Tensor dropout(const at::Tensor& input, double p, bool training) {
  if (!training || p == 0) return input;
  // A 32-bit hash distinguishes only this many positions.
  const bool ours = input.is_cpu() && input.scalar_type() == at::kFloat && p < 1 &&
                    input.numel() < (std::int64_t{1} << 32);
  if (!ours) return torch::dropout(input, p, training);
  return Dropout::apply(input, draw_key(), p);
}

}  // namespace tacho
