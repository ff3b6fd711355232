#include "cli/model_list.h"

#include <fmt/format.h>

#include "core/record/model_catalog.h"

namespace tacho {

std::string model_list() {
  std::string text = "Models:\n";
  for (const ModelInfo& model : model_catalog()) {
    text += fmt::format("  {}  {}\n", model.name, model.help);
  }
  return text;
}

}  // namespace tacho
