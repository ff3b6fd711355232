#include "training/train/hits.h"

#include <algorithm>

#include "training/train/models/classifier.h"

namespace tacho {

Hits count_hits(const at::Tensor& logits, const at::Tensor& labels) {
  const at::Tensor scores = logits.detach().to(at::kCPU, at::kFloat).contiguous();
  const at::Tensor classes = labels.to(at::kCPU).contiguous();
  const std::int64_t width = scores.size(1);
  const float* row = scores.data_ptr<float>();
  const auto* label = classes.data_ptr<std::int64_t>();
  Hits hits;
  for (std::int64_t n = 0; n < scores.size(0); ++n, row += width) {
    if (label[n] == kIgnoredLabel) {
      ++hits.ignored;
      continue;
    }
    const float right = row[label[n]];
    // Written so that a NaN score never counts as a hit. Of equal scores the first class wins, as
    // with argmax: a model with equal scores for every class is guessing.
    const auto ahead = std::count_if(row, row + width, [right](float s) { return !(s <= right); }) +
                       std::count(row, row + label[n], right);
    hits.top1 += ahead < 1 ? 1 : 0;
    hits.top5 += ahead < 5 ? 1 : 0;
    ++hits.samples;
  }
  return hits;
}

}  // namespace tacho
