#pragma once

#include <filesystem>

#include "base/result.h"
#include "core/record/run_spec.h"
#include "training/data/catalog.h"

namespace tacho {

struct LocatedInput {
  const DatasetInfo* dataset;
  std::filesystem::path folder;
  bool decodes_files = false;  // its images are JPEG or PNG files, read when a batch is made
};

// Returns the spec's dataset if it exists, matches the input of the spec's model, is on this
// machine and supports the augmentation.
Result<LocatedInput> locate_input(const RunSpec& spec, const std::filesystem::path& home);

}  // namespace tacho
