#include "training/train/fine_tuning.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/record/model_catalog.h"
#include "training/train/weights.h"

namespace tacho {

Result<void> freeze(torch::nn::Module& model, const std::vector<std::string>& beginnings) {
  const auto parameters = model.named_parameters();
  for (const std::string& beginning : beginnings) {
    bool fits = false;
    for (const auto& item : parameters) {
      if (!item.key().starts_with(beginning)) continue;
      item.value().set_requires_grad(false);
      fits = true;
    }
    if (fits) continue;
    return Error{ErrorCode::usage,
                 fmt::format("--freeze: no parameter's name begins with '{}'; the model has {}",
                             beginning, first_few(parameters.keys()))};
  }
  const bool trains = std::ranges::any_of(
      parameters, [](const auto& item) { return item.value().requires_grad(); });
  if (trains) return {};
  return Error{ErrorCode::usage, "--freeze leaves no parameter to train; name fewer of them"};
}

Optimizer::Options optimizer_options(const RunSpec& spec) {
  Optimizer::Options options{.clip_norm = spec.clip_norm, .precision = spec.precision};
  const auto model = find_model(spec.model);
  if (!spec.head_learning_rate || !model.ok()) return options;
  options.is_head = [info = *model](const std::string& name) { return is_in_head(*info, name); };
  options.head_factor = *spec.head_learning_rate / spec.optimizer.learning_rate;
  return options;
}

}  // namespace tacho
