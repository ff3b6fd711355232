#include "predict/speed/own_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/record/model_catalog.h"
#include "predict/speed/csv_columns.h"
#include "predict/speed/model_costs.h"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 11> kLayerColumns = {
    "model",  "input",   "kind",   "count",          "gmacs",   "passes",
    "inputs", "outputs", "serial", "moved_fixed_MB", "moved_MB"};

double states_of(const OptimizerSpec& optimizer) {
  if (optimizer.kind != OptimizerKind::sgd) return 2;
  return optimizer.momentum > 0 ? 1 : 0;
}

Result<LayerCost> read_layer(const CsvColumns& row) {
  LayerCost layer;
  TACHO_TRY(kind, kLayerKinds.parse(row.text("kind")));
  layer.kind = kind;
  const std::array<double*, 8> fields = {&layer.count,          &layer.gmacs,   &layer.passes,
                                         &layer.inputs,         &layer.outputs, &layer.serial,
                                         &layer.moved_fixed_mb, &layer.moved_mb};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    TACHO_TRY(value, row.number(kLayerColumns[i + 3]));
    *fields[i] = value.value_or(0);
  }
  return layer;
}

// Attention multiplies every token with every other; images grow by their area.
void grow(LayerCost& layer, double factor, bool text) {
  layer.gmacs *= text && layer.kind == LayerKind::attention ? factor * factor : factor;
  layer.moved_mb *= factor;
  if (layer.serial > 1) layer.serial *= factor;
}

}  // namespace

double optimizer_bytes(const OwnNetwork& network) {
  constexpr double kBytesOfFloat = 4;
  // Reads and writes the weight and every state, reads the gradient.
  return network.params_m * 1e6 * kBytesOfFloat * (3 + 2 * network.optimizer_states);
}

Result<OwnLayers> OwnLayers::parse(std::string_view csv, OwnModelCosts costs) {
  OwnLayers out;
  out.costs_ = std::move(costs);
  TACHO_TRY(records, read_csv(csv));
  TACHO_TRY(places, column_places(records, kLayerColumns));
  for (const CsvRecord& record : records.rows) {
    const std::string place = fmt::format("line {}", record.line);
    const CsvColumns row(record, kLayerColumns, places);
    TACHO_TRY(layer, read_layer(row).in(place));
    const std::string& input = row.text("input");
    const auto side = image_side(input);
    const auto extent = side ? side : sequence_length(input);
    if (!extent) {
      return Error{ErrorCode::invalid,
                   fmt::format("{}: input: '{}' is not a valid shape such as 3x224x224 or seq128",
                               place, input)};
    }
    auto& sizes = out.models_[row.text("model")];
    if (sizes.empty() || sizes.back().extent != *extent) sizes.push_back({*extent, !side, {}});
    sizes.back().layers.push_back(layer);
  }
  return out;
}

SampleSize OwnLayers::usual_size(const std::string& model) {
  RunSpec spec;
  spec.model = model;
  return sample_size(spec);
}

Result<OwnNetwork> OwnLayers::of(const std::string& model, const SampleSize& size) const {
  const auto found = models_.find(model);
  TACHO_TRY(info, find_model(model));
  if (info->input == InputKind::documents) {
    return Error{ErrorCode::unavailable,
                 fmt::format("Tacho's training of language models is not predicted; 'tacho predict "
                             "{} --gpu GPU' predicts PyTorch's",
                             model)};
  }
  if (found == models_.end() || !(size.extent > 0)) {
    return Error{ErrorCode::unavailable, fmt::format("the layers of model {} are unknown", model)};
  }
  const AtSize& best = *std::ranges::min_element(found->second, {}, [&](const AtSize& one) {
    return std::abs(std::log(one.extent / size.extent));
  });
  TACHO_TRY(cost, costs_.of(model, size));
  OwnNetwork network{model, size, cost.params_m, states_of(info->optimizer), best.layers};
  const double factor = std::pow(size.extent / best.extent, best.text ? 1 : 2);
  for (LayerCost& layer : network.layers) grow(layer, factor, best.text);
  return network;
}

}  // namespace tacho
