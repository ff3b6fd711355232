#include <cmath>

#include "training/train/describe/model_description.h"
#include "training/train/torch_api.h"

namespace tacho {
namespace {

std::int64_t whole(double number) { return static_cast<std::int64_t>(std::llround(number)); }

void add_cost(Json& json, const OpCost& cost) {
  json["forward_multiply_adds"] = whole(cost.forward_multiply_adds);
  json["backward_multiply_adds"] = whole(cost.backward_multiply_adds);
  json["forward_flops"] = whole(2 * cost.forward_multiply_adds);
  json["backward_flops"] = whole(2 * cost.backward_multiply_adds);
  json["forward_bytes_moved"] = whole(cost.forward_bytes);
  json["backward_bytes_moved"] = whole(cost.backward_bytes);
}

Json layer_json(const LayerRow& row) {
  Json json = {{"name", row.name},
               {"group", row.group},
               {"kind", kOpKinds.of(row.kind)},
               {"output", row.output},
               {"parameters", row.parameters}};
  add_cost(json, row.cost);
  json["saved_bytes"] = whole(row.saved_bytes);
  return json;
}

Json memory_json(const ModelDescription& description) {
  const MemoryPrediction& m = description.memory;
  return {{"weights_bytes", whole(m.weights)},
          {"gradients_bytes", whole(m.gradients)},
          {"optimizer_state_bytes", whole(m.optimizer_state)},
          {"library_workspaces_bytes", whole(m.library_workspaces)},
          {"inputs_bytes", whole(m.inputs)},
          {"copies_16bit_bytes", whole(m.copies_16bit)},
          {"saved_activations_bytes", whole(m.saved_activations)},
          {"largest_temporaries_bytes", whole(m.largest_temporaries)},
          {"peak",
           {{"phase", description.peak_phase},
            {"at", description.peak_at},
            {"activations_bytes", whole(m.at_peak.activations)},
            {"temporaries_bytes", whole(m.at_peak.temporaries)},
            {"gradients_bytes", whole(m.at_peak.gradients)}}},
          {"total_bytes", whole(m.total)}};
}

}  // namespace

Json to_json(const DescribeRequest& request, const ModelDescription& description) {
  Json json = to_json(request);
  json["torch_version"] = torch_api::version();
  json["parameters"] = description.parameters;
  add_cost(json, description.total);
  json["memory"] = memory_json(description);
  json["layers"] = Json::array();
  for (const LayerRow& row : description.layers) json["layers"].push_back(layer_json(row));
  return json;
}

}  // namespace tacho
