#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/record/run_spec.h"

namespace tacho {

// The cost of a training step of one of Tacho's models, in fp32, as 'tacho describe' counts it.
// Moved and held bytes have a fixed part and one per sample.
struct OwnModelCost {
  double layers = 0;
  double params_m = 0;
  double gmacs = 0;  // forward pass of a sample
  double moved_fixed_mb = 0;
  double moved_mb = 0;
  double held_fixed_mb = 0;  // with the model's default optimizer
  double held_mb = 0;
};

// The side of an image or the tokens of a text.
struct SampleSize {
  std::string text;  // "3x224x224", "seq128"
  double extent = 0;
};
SampleSize sample_size(const RunSpec& spec);
// "" if neither the dataset nor a known model determines it.
std::string input_shape_of(const std::string& model, const std::string& data);

class OwnModelCosts {
 public:
  // own_models.csv, made by script/describe-models.
  static Result<OwnModelCosts> parse(std::string_view csv);

  // Scales from the nearest described size.
  [[nodiscard]] Result<OwnModelCost> of(const std::string& model, const SampleSize& size) const;

 private:
  struct AtSize {
    double extent = 0;
    bool text = false;
    OwnModelCost cost;
  };
  std::map<std::string, std::vector<AtSize>, std::less<>> models_;
};

}  // namespace tacho
