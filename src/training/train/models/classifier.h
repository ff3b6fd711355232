#pragma once

#include <cstdint>

#include "core/record/model_catalog.h"
#include "training/train/torch_api.h"

namespace tacho {

// The label of a token that counts neither towards the loss nor towards any metric.
inline constexpr std::int64_t kIgnoredLabel = -100;

// The input of a step. Images: inputs is N×C×H×W, fp32. Text: inputs is N×T token ids, padded at
// the end of each sentence, and lengths holds the length of each; undefined lengths: no padding.
struct Batch {
  at::Tensor inputs;
  at::Tensor labels;   // N, int64; N·T for language models: the next tokens or kIgnoredLabel
  at::Tensor lengths;  // N, int64
  // Weight of its mean loss if ranks share a batch unevenly: the weights' mean is 1.
  double weight = 1;
  [[nodiscard]] std::int64_t size() const { return inputs.size(0); }
};

// The kind of operation that dominates a model's time: its fastest CPU path is used for the whole
// model.
enum class Workload { convolution, product, recurrent };

class Classifier : public torch::nn::Module {
 public:
  [[nodiscard]] virtual at::Tensor logits(const Batch& batch) = 0;
  [[nodiscard]] virtual Workload workload() const = 0;
};

// Facts about the data that a model needs to be built.
struct InputShape {
  std::int64_t channels = 1;
  std::int64_t height = 28;
  std::int64_t width = 28;
  std::int64_t vocabulary = 0;
  std::int64_t classes = 10;
  // Language models:
  std::int64_t length = 0;  // most tokens of a text
  DecoderShape decoder = {};
};

// Called by a model's constructor: refuses images that its layers would shrink to nothing.
inline void check_at_least(const InputShape& shape, std::int64_t pixels) {
  TORCH_CHECK(shape.height >= pixels && shape.width >= pixels, "images must be at least ", pixels,
              "x", pixels, ", not ", shape.height, "x", shape.width);
}

}  // namespace tacho
