#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predict/speed/model_name.h"
#include "predict/speed/training_job.h"

namespace tacho {

// The cost of one sample in a forward pass.
struct SampleCost {
  double gmacs = 0;
  double macts_m = 0;
  double params_m = 0;
  // Units of the speed per batch element: for language models tokens, where a batch consists of
  // sentences.
  double units = 1;
  // The cost scales correctly with batch and GPU, but its size is unknown: jobs of such a model are
  // predicted from other jobs of it only.
  bool rough = false;
  bool transformer = false;
  std::string shape = {};  // of the input, as in jobs
};

// What a model trains on. "other": not on whole images or texts, as in recommendation and speech.
enum class ModelInput : std::uint8_t { images, text, other, unknown };

// Costs of models by name, for jobs that do not give them.
class ModelCosts {
 public:
  // model_features.csv: model, img_size, gmacs, macts_M, params_M.
  // transformers.csv: model, layers, width, heads, params_M, sequence, finetuned_sequence.
  // other_models.csv: model, gmacs, macts_M, params_M, units.
  static Result<ModelCosts> parse(std::string_view features_csv, std::string_view transformers_csv,
                                  std::string_view others_csv = "");

  // Returns the job's own figures, otherwise the known cost of its model at its input size.
  [[nodiscard]] std::optional<SampleCost> of(const TrainingJob& job, const ModelName& name) const;
  [[nodiscard]] ModelInput input_of(const std::string& model) const;
  // All models with known costs, by their canonical names.
  [[nodiscard]] std::vector<std::string_view> names() const;

 private:
  struct AtSize {
    double side = 0;
    SampleCost cost;
  };
  struct Transformer {
    double layers = 0;
    double width = 0;
    double heads = 0;
    double params_m = 0;
    double sequence = 0;  // default of the job
    double finetuned_sequence = 0;
    [[nodiscard]] SampleCost at(double length) const;
  };
  [[nodiscard]] std::optional<SampleCost> image_model(const std::string& name,
                                                      std::optional<double> side) const;

  std::map<std::string, std::vector<AtSize>, std::less<>> images_;
  std::map<std::string, Transformer, std::less<>> transformers_;
  std::map<std::string, SampleCost, std::less<>> others_;
};

// Returns 224 for "3x224x224", and the length for "seq512" and "tgt192".
std::optional<double> image_side(std::string_view shape);
std::optional<double> sequence_length(std::string_view shape);

}  // namespace tacho
