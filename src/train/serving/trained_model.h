#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/event.h"
#include "record/model_catalog.h"
#include "record/run_folder.h"
#include "train/serving/input_facts.h"

namespace tacho {

struct ServingOptions {
  Device device = Device::cpu;
  Precision precision = Precision::fp32;
  std::int64_t threads = 1;       // of each instance
  std::int64_t max_words = 1024;  // of a text for models of whole words
  std::int64_t max_batch = 32;
  std::int64_t max_pixels = 25'000'000;  // of an image, before it is decoded
  ComputePaths paths = {
      .mkldnn_convolution = true, .mkldnn_product = true, .mkldnn_recurrent = true};
};

// The order of a run whose model can be served, as far as that can be told before it is loaded.
Result<RunOrder> order_to_serve(const RunFolder& run);

// The model of a run, for one answer after the other: the newest checkpoint's weights and what
// evaluation in training does before and after them. A sample's answer does not depend on what else
// is in its batch.
//
// Samples are made by any thread. Each instance computes on one thread, which called begin(); all
// share the weights.
class TrainedModel {
 public:
  using Tokens = std::span<const std::int32_t>;
  using Pixels = std::span<const float>;
  using Shares = std::vector<float>;  // the probability of each class

  // `tacho_home` is looked into where the run's folder lacks something, for it was trained by an
  // older Tacho.
  static Result<std::unique_ptr<TrainedModel>> load(const RunFolder& run,
                                                    const std::filesystem::path& tacho_home,
                                                    const ServingOptions& options);
  virtual ~TrainedModel() = default;

  [[nodiscard]] virtual const ModelInfo& info() const = 0;
  [[nodiscard]] virtual const InputFacts& input() const = 0;
  // Of all that its answers depend on: weights, words, scales. 64 hexadecimal digits.
  [[nodiscard]] virtual const std::string& digest() const = 0;
  // Of the same, but told to nobody: only a holder of the model can compute it. 64 hexadecimal
  // digits.
  [[nodiscard]] virtual const std::string& secret() const = 0;
  [[nodiscard]] virtual std::string run_key() const = 0;
  // A text's tokens that are looked at, of models of word pieces; 0: all.
  [[nodiscard]] virtual std::int64_t max_tokens() const = 0;

  [[nodiscard]] virtual Result<std::vector<std::int32_t>> tokens(std::string_view text) const = 0;
  // Of a JPEG or PNG file's bytes: channels x height x width, scaled as in training.
  [[nodiscard]] virtual Result<std::vector<float>> pixels(
      std::span<const std::uint8_t> bytes) const = 0;

  virtual Result<void> begin(int instance) = 0;
  virtual Result<std::vector<Shares>> of_texts(int instance, std::span<const Tokens> texts) = 0;
  virtual Result<std::vector<Shares>> of_images(int instance, std::span<const Pixels> images) = 0;
};

}  // namespace tacho
