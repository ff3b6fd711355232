#include "training/train/adapters.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "training/train/models/adaptable.h"
#include "training/train/weights.h"

namespace tacho {
namespace {

// Those that peft adapts in GPT-2 and Llama if none are named.
const std::vector<std::string> kUsual = {"c_attn", "q_proj", "v_proj"};

bool fits(const std::string& layer, const std::string& wanted) {
  return layer == wanted || layer.ends_with("." + wanted);
}

}  // namespace

Result<void> add_adapters(torch::nn::Module& model, const RunSpec& spec) {
  const auto modules = model.named_modules();
  std::vector<std::pair<std::string, Adaptable*>> layers;
  std::vector<std::string> names;
  for (const auto& item : modules) {
    auto* layer = dynamic_cast<Adaptable*>(item.value().get());
    if (layer == nullptr) continue;
    layers.emplace_back(item.key(), layer);
    names.push_back(item.key());
  }
  for (const std::string& wanted : spec.lora_layers) {
    if (std::ranges::any_of(names, [&](const auto& name) { return fits(name, wanted); })) continue;
    return Error{
        ErrorCode::usage,
        fmt::format("--lora-layers: no layer's name is or ends with '{}'; the model has {}", wanted,
                    first_few(names))};
  }
  for (at::Tensor& parameter : model.parameters()) parameter.set_requires_grad(false);
  const auto& chosen = spec.lora_layers.empty() ? kUsual : spec.lora_layers;
  const auto rank = static_cast<double>(spec.lora_rank);
  const double scale = spec.lora_alpha.value_or(2 * rank) / rank;
  for (const auto& [name, layer] : layers) {
    if (std::ranges::any_of(chosen, [&](const auto& wanted) { return fits(name, wanted); })) {
      layer->add_adapter(spec.lora_rank, scale);
    }
  }
  return {};
}

void merge_adapters(torch::nn::Module& model) {
  for (const auto& module : model.modules()) {
    if (auto* layer = dynamic_cast<Adaptable*>(module.get())) layer->merge_adapter();
  }
}

}  // namespace tacho
