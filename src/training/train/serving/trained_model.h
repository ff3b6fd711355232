#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/record/event.h"
#include "core/record/model_catalog.h"
#include "core/record/run_folder.h"
#include "training/train/serving/input_facts.h"

namespace tacho {

struct ServingOptions {
  CheckpointKind checkpoint = CheckpointKind::last;
  Device device = Device::cpu;
  Precision precision = Precision::fp32;
  std::int64_t threads = 1;       // per instance
  std::int64_t max_words = 1024;  // per text, for word-level models
  std::int64_t max_batch = 32;
  std::int64_t max_pixels = 25'000'000;  // per image, checked before decoding
  ComputePaths paths = {
      .mkldnn_convolution = true, .mkldnn_product = true, .mkldnn_recurrent = true};
};

// Returns the order of a run whose model can be served, as far as known before loading it.
Result<RunOrder> order_to_serve(const RunFolder& run);

// Returns the file of the run's newest or best checkpoint.
Result<std::filesystem::path> checkpoint_to_serve(const RunFolder& run, CheckpointKind kind);

// The model of a run for inference, or of a folder of weights: the newest or best checkpoint's
// weights with the pre- and postprocessing of evaluation in training. A sample's result does not
// depend on the rest of its batch.
//
// Samples may be prepared by any thread. Each instance computes on the thread that called begin();
// all share the weights.
class TrainedModel {
 public:
  using Tokens = std::span<const std::int32_t>;
  using Pixels = std::span<const float>;
  using Shares = std::vector<float>;  // the probability of each class

  // `tacho_home` is used if the run's folder lacks something because an older Tacho trained it.
  static Result<std::unique_ptr<TrainedModel>> load(const RunFolder& run,
                                                    const std::filesystem::path& tacho_home,
                                                    const ServingOptions& options);
  // The model of a folder that no run wrote; see read_weights_folder().
  static Result<std::unique_ptr<TrainedModel>> load_folder(const std::filesystem::path& folder,
                                                           const ServingOptions& options);
  virtual ~TrainedModel() = default;

  [[nodiscard]] virtual const ModelInfo& info() const = 0;
  [[nodiscard]] virtual const InputFacts& input() const = 0;
  // Digest of everything that results depend on: weights, words, scales. 64 hexadecimal digits.
  [[nodiscard]] virtual const std::string& digest() const = 0;
  // Digest of the same, but never published: only a holder of the model can compute it. 64
  // hexadecimal digits.
  [[nodiscard]] virtual const std::string& secret() const = 0;
  [[nodiscard]] virtual std::string run_key() const = 0;
  // Tokens of a text that word-piece models read; 0: all.
  [[nodiscard]] virtual std::int64_t max_tokens() const = 0;

  [[nodiscard]] virtual Result<std::vector<std::int32_t>> tokens(std::string_view text) const = 0;
  // Decodes a JPEG or PNG file: channels x height x width, scaled as in training.
  [[nodiscard]] virtual Result<std::vector<float>> pixels(
      std::span<const std::uint8_t> bytes) const = 0;

  virtual Result<void> begin(int instance) = 0;
  virtual Result<std::vector<Shares>> of_texts(int instance, std::span<const Tokens> texts) = 0;
  virtual Result<std::vector<Shares>> of_images(int instance, std::span<const Pixels> images) = 0;
};

}  // namespace tacho
