#include "training/train/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "training/train/safetensors.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

std::string shape_text(const at::Tensor& tensor) {
  return tensor.dim() == 0 ? "a single number" : fmt::format("{}", fmt::join(tensor.sizes(), "x"));
}

// Buffers that do not matter: old Hugging Face files contain the numbers from 0 to 511, and old
// torchvision files lack the count of batches.
bool is_ignored_in_file(std::string_view name) { return name.ends_with("position_ids"); }
bool may_be_missing(std::string_view name) { return name.ends_with("num_batches_tracked"); }

void replace_ending(std::string& name, std::string_view old, std::string_view fresh) {
  if (name.ends_with(old)) name.replace(name.size() - old.size(), old.size(), fresh);
}

// Returns the model's name of a file's tensor, "" if the model does not use it. The first BERT
// files call a norm's weight and bias gamma and beta.
std::string model_name(std::string name, bool is_checkpoint) {
  if (is_ignored_in_file(name)) return "";
  if (is_checkpoint) {
    constexpr std::string_view kPrefix = "model.";
    return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : "";
  }
  replace_ending(name, ".LayerNorm.gamma", ".LayerNorm.weight");
  replace_ending(name, ".LayerNorm.beta", ".LayerNorm.bias");
  return name;
}

bool is_checkpoint(const TensorFile& file) {
  return std::any_of(file.tensors.begin(), file.tensors.end(),
                     [](const auto& item) { return item.first == "random.cpu"; });
}

struct Pairing {
  std::vector<std::pair<at::Tensor, at::Tensor>> copies;  // the model's, the file's
  std::vector<std::string> missing;
  std::vector<std::string> unexpected;
  std::vector<std::string> misfits;  // names with the mismatch
  std::vector<std::string> misfit_names;
};

std::string misfit(const at::Tensor& wanted, const at::Tensor& found) {
  if (wanted.sizes() != found.sizes()) {
    return fmt::format("{} in the file, {} in the model", shape_text(found), shape_text(wanted));
  }
  if (wanted.is_floating_point() != found.is_floating_point()) {
    return fmt::format("{} in the file", c10::toString(found.scalar_type()));
  }
  return "";
}

Pairing pair_up(const torch::nn::Module& model, const TensorFile& file) {
  std::map<std::string, at::Tensor> found;
  const bool checkpoint = is_checkpoint(file);
  for (const auto& [name, tensor] : file.tensors) {
    if (auto known = model_name(name, checkpoint); !known.empty()) found.emplace(known, tensor);
  }
  Pairing pairing;
  for (const auto& [name, tensor] : model_state(model)) {
    auto at = found.extract(name);
    if (at.empty()) {
      if (!may_be_missing(name)) pairing.missing.push_back(name);
    } else if (auto wrong = misfit(tensor, at.mapped()); !wrong.empty()) {
      pairing.misfits.push_back(fmt::format("{} ({})", name, wrong));
      pairing.misfit_names.push_back(name);
    } else {
      pairing.copies.emplace_back(tensor, at.mapped());
    }
  }
  for (const auto& [name, tensor] : found) pairing.unexpected.push_back(name);
  return pairing;
}

Error mismatch(const fs::path& file, const Pairing& pairing) {
  std::vector<std::string> complaints;
  const auto complain = [&complaints](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) complaints.push_back(fmt::format("{} {}", what, first_few(names)));
  };
  complain("missing", pairing.missing);
  complain("unexpected", pairing.unexpected);
  complain("does not fit:", pairing.misfits);
  return {ErrorCode::invalid,
          fmt::format("{}: not this model's weights: {}; use --weights-partial to load what fits",
                      file.string(), fmt::join(complaints, "; "))};
}

}  // namespace

NamedTensors model_state(const torch::nn::Module& model) {
  NamedTensors tensors;
  for (const auto& item : model.named_parameters()) tensors.emplace_back(item.key(), item.value());
  for (const auto& item : model.named_buffers()) tensors.emplace_back(item.key(), item.value());
  return tensors;
}

Result<LoadedWeights> load_weights(torch::nn::Module& model, const fs::path& file,
                                   WeightsMatch match) {
  TACHO_TRY(content, read_safetensors(file));
  Pairing pairing = pair_up(model, content);
  const bool fits =
      pairing.missing.empty() && pairing.unexpected.empty() && pairing.misfits.empty();
  if (match == WeightsMatch::exact && !fits) return mismatch(file, pairing);
  if (pairing.copies.empty()) {
    return Error{ErrorCode::invalid,
                 fmt::format("{}: none of its tensors belongs to the model", file.string())};
  }
  const torch::NoGradGuard no_grad;
  for (const auto& [wanted, found] : pairing.copies) wanted.detach().copy_(found);
  LoadedWeights loaded{std::move(pairing.missing), std::move(pairing.unexpected)};
  loaded.as_drawn.insert(loaded.as_drawn.end(), pairing.misfit_names.begin(),
                         pairing.misfit_names.end());
  return loaded;
}

Result<void> save_weights(const torch::nn::Module& model, const fs::path& file) {
  return write_safetensors(file, {model_state(model), {{"format", "pt"}}});
}

std::string first_few(const std::vector<std::string>& names) {
  constexpr std::size_t kFew = 5;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(kFew, names.size()));
  std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  if (names.size() > kFew) text += fmt::format(" and {} more", names.size() - kFew);
  return text;
}

}  // namespace tacho
