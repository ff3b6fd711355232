#include "cli/dataset_list.h"

#include <fmt/format.h>

#include "training/data/catalog.h"

namespace tacho {

std::string dataset_list() {
  std::string text = "Datasets:\n";
  for (const DatasetInfo& dataset : dataset_catalog()) {
    text += fmt::format("  {}  {}\n", dataset.name, dataset.help);
  }
  return text;
}

}  // namespace tacho
