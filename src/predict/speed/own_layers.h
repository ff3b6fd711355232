#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"
#include "predict/speed/own_model_costs.h"

namespace tacho {

// Kinds of operations that reach different shares of a GPU's peaks.
enum class LayerKind : std::uint8_t { convolution, depthwise, linear, attention, lstm, other };
inline constexpr Names<LayerKind, 6> kLayerKinds{"kind of layer",
                                                 {{{LayerKind::convolution, "convolution"},
                                                   {LayerKind::depthwise, "depthwise"},
                                                   {LayerKind::linear, "linear"},
                                                   {LayerKind::attention, "attention"},
                                                   {LayerKind::lstm, "lstm"},
                                                   {LayerKind::other, "other"}}}};

// Equal operations of a model, forward and backward, as 'tacho describe' counts them.
struct LayerCost {
  LayerKind kind = LayerKind::other;
  double count = 1;
  double gmacs = 0;    // forward pass of a sample
  double passes = 0;   // products of that size: forward, and backward by input and by weights
  double inputs = 0;   // different values that one output is computed from
  double outputs = 0;  // channels
  double serial = 1;   // time steps, one after another
  double moved_fixed_mb = 0;
  double moved_mb = 0;  // per sample, in fp32
};

struct OwnNetwork {
  std::string model;
  SampleSize size;
  double params_m = 0;
  double optimizer_states = 1;  // copies of every weight that the default optimizer keeps
  std::vector<LayerCost> layers;
};

// That an update of all weights moves.
double optimizer_bytes(const OwnNetwork& network);

class OwnLayers {
 public:
  // own_layers.csv, made by script/describe-models.
  static Result<OwnLayers> parse(std::string_view csv, OwnModelCosts costs);

  // Scales from the nearest described size.
  [[nodiscard]] Result<OwnNetwork> of(const std::string& model, const SampleSize& size) const;
  [[nodiscard]] const OwnModelCosts& costs() const { return costs_; }
  // The size of a model's published results.
  [[nodiscard]] static SampleSize usual_size(const std::string& model);

 private:
  struct AtSize {
    double extent = 0;
    bool text = false;
    std::vector<LayerCost> layers;
  };
  std::map<std::string, std::vector<AtSize>, std::less<>> models_;
  OwnModelCosts costs_;
};

}  // namespace tacho
