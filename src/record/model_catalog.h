#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"
#include "record/run_spec.h"

namespace tacho {

enum class InputKind { image, text };
inline constexpr Names<InputKind, 2> kInputKinds{
    "kind of input", {{{InputKind::image, "images"}, {InputKind::text, "text"}}}};

// What can be said of a model without building it, so that a wrong name is refused before any
// process starts. src/train/models holds the models themselves.
struct ModelInfo {
  std::string_view name;
  InputKind input;
  std::string_view help;
  OptimizerSpec optimizer;  // what trains it well, taken where the user names nothing else
  // Up to this batch a step is so short that waking other threads costs more than they bring.
  std::int64_t one_thread_batch = 0;
};

std::span<const ModelInfo> model_catalog();
Result<const ModelInfo*> find_model(std::string_view name);
std::vector<std::string_view> model_names();

}  // namespace tacho
