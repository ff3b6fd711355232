#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predict/model_name.h"
#include "predict/training_job.h"

namespace tacho {

// What one sample costs in a forward pass.
struct SampleCost {
  double gmacs = 0;
  double macts_m = 0;
  double params_m = 0;
  // What speeds are counted in for each member of a batch: a language model's are of tokens where
  // its batches are of sentences.
  double units = 1;
  // Right in how it grows with batch and GPU, not in its size: a job of such a model is foretold
  // from others of it alone.
  bool rough = false;
  bool transformer = false;
  std::string shape = {};  // of the input it was taken for, as jobs name it
};

// Models whose cost is known by name, for jobs that do not say it themselves.
class ModelCosts {
 public:
  // model_features.csv: model, img_size, gmacs, macts_M, params_M.
  // transformers.csv: model, layers, width, heads, params_M, sequence, finetuned_sequence.
  // other_models.csv: model, gmacs, macts_M, params_M, units.
  static Result<ModelCosts> parse(std::string_view features_csv, std::string_view transformers_csv,
                                  std::string_view others_csv = "");

  // What the job says; else what is known of its model at its input size.
  [[nodiscard]] std::optional<SampleCost> of(const TrainingJob& job, const ModelName& name) const;

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
    double sequence = 0;  // where the job names none
    double finetuned_sequence = 0;
    [[nodiscard]] SampleCost at(double length) const;
  };
  [[nodiscard]] std::optional<SampleCost> image_model(const std::string& name,
                                                      std::optional<double> side) const;

  std::map<std::string, std::vector<AtSize>, std::less<>> images_;
  std::map<std::string, Transformer, std::less<>> transformers_;
  std::map<std::string, SampleCost, std::less<>> others_;
};

// "3x224x224" is 224 wide, "seq512" and "tgt192" are so long.
std::optional<double> image_side(std::string_view shape);
std::optional<double> sequence_length(std::string_view shape);

}  // namespace tacho
