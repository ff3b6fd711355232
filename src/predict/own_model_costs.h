#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/run_spec.h"

namespace tacho {

// What a training step of one of Tacho's models does, in fp32, as 'tacho describe' counts it. What
// is moved and held has a part that stays and one for each sample.
struct OwnModelCost {
  double layers = 0;
  double params_m = 0;
  double gmacs = 0;  // of a sample's forward pass
  double moved_fixed_mb = 0;
  double moved_mb = 0;
  double held_fixed_mb = 0;  // with the model's own optimizer
  double held_mb = 0;
};

// Of an image the side, of a text its tokens.
struct SampleSize {
  std::string text;  // "3x224x224", "seq128"
  double extent = 0;
};
SampleSize sample_size(const RunSpec& spec);

class OwnModelCosts {
 public:
  // own_models.csv, made by script/describe-models.
  static Result<OwnModelCosts> parse(std::string_view csv);

  // Scaled from the nearest size that was described.
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
