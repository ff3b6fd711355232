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

std::string accepted_sources() {
  std::string text = "Accepted by --from:\n";
  for (const DatasetInfo& dataset : dataset_catalog()) {
    text += fmt::format("  {}  {}\n", dataset.name, dataset.accepts);
  }
  return text +
         "Images are .jpg, .jpeg or .png files, in a folder or in a .zip, .tar, .tar.gz or "
         ".tar.xz\n"
         "archive. The evaluation part may be named val, valid or test. cifar10 and cifar100 need\n"
         "32 x 32 pixels, tiny-imagenet 64 x 64.\n";
}

}  // namespace tacho
