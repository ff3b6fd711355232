#pragma once

#include <algorithm>
#include <cstdint>

#include "base/random.h"
#include "core/record/sampling.h"
#include "training/train/torch_api.h"

namespace tacho {

// Chooses the tokens of one text. What it draws depends only on its seed and the logits.
class TokenSampler {
 public:
  explicit TokenSampler(const Sampling& sampling)
      : sampling_(sampling),
        random_(Random::scattered(static_cast<std::uint64_t>(sampling.seed))) {}

  // logits: of each token, in fp32 on the CPU.
  std::int32_t choose(const at::Tensor& logits) {
    if (sampling_.temperature == 0) {
      return static_cast<std::int32_t>(logits.argmax().item<std::int64_t>());
    }
    const std::int64_t all = logits.numel();
    const auto [values, tokens] =
        logits.topk(sampling_.top_k > 0 ? std::min(sampling_.top_k, all) : all);
    const at::Tensor shares =
        at::softmax(values.to(at::kDouble) / sampling_.temperature, 0).cumsum(0).contiguous();
    const double* share = shares.data_ptr<double>();
    auto last = static_cast<std::size_t>(shares.numel() - 1);
    if (sampling_.top_p < 1) {
      const double* enough = std::lower_bound(share, share + last, sampling_.top_p);
      last = static_cast<std::size_t>(enough - share);
    }
    const double drawn = random_.between(0, 1) * share[last];
    const auto at = std::min<std::size_t>(
        last, static_cast<std::size_t>(std::upper_bound(share, share + last + 1, drawn) - share));
    return static_cast<std::int32_t>(tokens[static_cast<std::int64_t>(at)].item<std::int64_t>());
  }

 private:
  Sampling sampling_;
  Random random_;
};

}  // namespace tacho
