#pragma once

#include <cstdint>

#include "training/train/torch_api.h"

namespace tacho {

struct Hits {
  std::int64_t top1 = 0;
  std::int64_t top5 = 0;
  std::int64_t samples = 0;
  std::int64_t ignored = 0;  // labels that do not count, besides `samples`

  Hits& operator+=(const Hits& other) {
    top1 += other.top1;
    top5 += other.top5;
    samples += other.samples;
    ignored += other.ignored;
    return *this;
  }
  [[nodiscard]] double top1_share() const { return share(top1); }
  [[nodiscard]] double top5_share() const { return share(top5); }

 private:
  [[nodiscard]] double share(std::int64_t count) const {
    return samples == 0 ? 0 : static_cast<double>(count) / static_cast<double>(samples);
  }
};

// Counts how often the right class has the best score or one of the best five. Logits N×classes,
// labels N, some of which may be kIgnoredLabel.
Hits count_hits(const at::Tensor& logits, const at::Tensor& labels);

}  // namespace tacho
