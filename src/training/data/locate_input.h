#pragma once

#include <filesystem>

#include "base/result.h"
#include "core/record/run_spec.h"
#include "training/data/catalog.h"

namespace tacho {

struct LocatedInput {
  const DatasetInfo* dataset;
  std::filesystem::path folder;
};

// Returns the spec's dataset if it exists, matches the input of the spec's model, and is on this
// machine.
Result<LocatedInput> locate_input(const RunSpec& spec, const std::filesystem::path& home);

}  // namespace tacho
