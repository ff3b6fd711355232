#include "training/weights/tensor_names.h"

#include <algorithm>
#include <array>

namespace tacho {
namespace {

void replace_ending(std::string& name, std::string_view old, std::string_view fresh) {
  if (name.ends_with(old)) name.replace(name.size() - old.size(), old.size(), fresh);
}

// denselayer1.norm.1.weight → denselayer1.norm1.weight
void join_dense_number(std::string& name) {
  const std::size_t layer = name.find(".denselayer");
  if (layer == std::string::npos) return;
  for (const std::string_view part : {".norm.", ".conv."}) {
    const std::size_t at = name.find(part, layer);
    if (at != std::string::npos) name.erase(at + part.size() - 1, 1);
  }
}

}  // namespace

std::string model_tensor_name(std::string name, const std::set<std::string>& in_model) {
  constexpr std::string_view kParallel = "module.";
  if (name.starts_with(kParallel)) name.erase(0, kParallel.size());
  // The numbers from 0 to 511, in old Hugging Face files.
  if (name.ends_with("position_ids")) return "";
  if (in_model.contains(name)) return name;
  // Not in the model: only torch's batch norms have it.
  if (name.ends_with("num_batches_tracked")) return "";
  // GPT-2's causal masks and Llama's rotary rates, in older files.
  for (const char* fixed : {".attn.bias", ".attn.masked_bias", ".rotary_emb.inv_freq"}) {
    if (name.ends_with(fixed)) return "";
  }
  replace_ending(name, ".LayerNorm.gamma", ".LayerNorm.weight");
  replace_ending(name, ".LayerNorm.beta", ".LayerNorm.bias");
  join_dense_number(name);
  for (const char* prefix : {"bert.", "distilbert.", "transformer.", "model."}) {
    if (in_model.contains(prefix + name)) return prefix + name;
  }
  return name;
}

bool is_other_head(std::string_view name) {
  constexpr std::array<std::string_view, 6> kHeads = {
      "cls.",        "vocab_transform.", "vocab_layer_norm.", "vocab_projector.",
      "qa_outputs.", "lm_head."};
  return std::ranges::any_of(kHeads,
                             [name](std::string_view head) { return name.starts_with(head); });
}

}  // namespace tacho
