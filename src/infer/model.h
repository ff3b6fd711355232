#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "record/model_catalog.h"

namespace tacho::infer {

// What a model is given for one answer, after everything that can be done for it alone.
struct Sample {
  std::vector<std::int32_t> tokens = {};  // of a text
  std::vector<float> pixels = {};         // of an image
  // What batches are sorted by. Images are all alike.
  [[nodiscard]] std::size_t length() const { return std::max<std::size_t>(tokens.size(), 1); }
};

struct Prediction {
  std::vector<float> probabilities;  // of each class; they add up to 1
  [[nodiscard]] std::size_t index() const {
    return static_cast<std::size_t>(std::ranges::max_element(probabilities) -
                                    probabilities.begin());
  }
  bool operator==(const Prediction&) const = default;
};

struct ModelFacts {
  std::string name;         // "lstm"
  std::string run;          // the key of the run that trained it
  std::string digest;       // of all that its answers depend on; 64 hexadecimal digits
  std::string secret = {};  // what only a holder of the model can compute; never shown
  InputKind input = InputKind::text;
  std::vector<std::string> labels;  // one a class
  Json shape = {};                  // of an input, for people
  std::string computes;  // "cpu fp32": answers of other ways may differ in the last digits
};

// A trained model, as a server needs it. Samples are made by any thread; each instance computes on
// a thread of its own.
class Model {
 public:
  virtual ~Model() = default;
  [[nodiscard]] virtual const ModelFacts& facts() const = 0;
  [[nodiscard]] virtual int instances() const = 0;

  // UTF-8. An Error where the text cannot be one.
  [[nodiscard]] virtual Result<Sample> text_sample(std::string_view text) const = 0;
  // A JPEG or PNG file's bytes.
  [[nodiscard]] virtual Result<Sample> image_sample(std::span<const std::uint8_t> bytes) const = 0;

  // Once, on the instance's own thread, before all else there.
  virtual Result<void> begin(int instance) = 0;
  // One prediction for each sample, in their order. What is computed for a sample does not depend
  // on the others.
  virtual Result<std::vector<Prediction>> predict(int instance,
                                                  std::span<const Sample* const> batch) = 0;
};

}  // namespace tacho::infer
