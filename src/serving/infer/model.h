#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "core/record/model_catalog.h"

namespace tacho::infer {

// The input of a model for one answer, fully preprocessed.
struct Sample {
  std::vector<std::int32_t> tokens = {};  // of a text
  std::vector<float> pixels = {};         // of an image
  // Batches are sorted by it. 1 for images.
  [[nodiscard]] std::size_t length() const { return std::max<std::size_t>(tokens.size(), 1); }
};

struct Prediction {
  std::vector<float> probabilities;  // of each class; the sum is 1
  [[nodiscard]] std::size_t index() const {
    return static_cast<std::size_t>(std::ranges::max_element(probabilities) -
                                    probabilities.begin());
  }
  bool operator==(const Prediction&) const = default;
};

struct ModelFacts {
  std::string name;         // "lstm"
  std::string run;          // key of the run that trained it
  std::string digest;       // of everything that its answers depend on; 64 hexadecimal digits
  std::string secret = {};  // can only be computed with the model; never shown
  InputKind input = InputKind::text;
  std::vector<std::string> labels;  // one per class
  Json shape = {};                  // of an input, for display
  std::string computes;             // "cpu fp32"; others may differ in the last digits
};

// A trained model for serving. Any thread may create samples; each instance computes on a separate
// thread.
class Model {
 public:
  virtual ~Model() = default;
  [[nodiscard]] virtual const ModelFacts& facts() const = 0;
  [[nodiscard]] virtual int instances() const = 0;

  // `text` is UTF-8; an Error if it is not a valid input.
  [[nodiscard]] virtual Result<Sample> text_sample(std::string_view text) const = 0;
  // `bytes` are a JPEG or PNG file.
  [[nodiscard]] virtual Result<Sample> image_sample(std::span<const std::uint8_t> bytes) const = 0;

  // Called once, on the instance's thread, before anything else there.
  virtual Result<void> begin(int instance) = 0;
  // Returns one prediction per sample, in order. Each is independent of the other samples in the
  // batch.
  virtual Result<std::vector<Prediction>> predict(int instance,
                                                  std::span<const Sample* const> batch) = 0;
};

}  // namespace tacho::infer
