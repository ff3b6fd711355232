#pragma once

#include <filesystem>

#include "base/result.h"
#include "data/catalog.h"
#include "record/run_spec.h"

namespace tacho {

struct LocatedInput {
  const DatasetInfo* dataset;
  std::filesystem::path folder;
};

// Returns the spec's dataset if it exists, matches the input of the spec's model, and is on this
// machine.
Result<LocatedInput> locate_input(const RunSpec& spec, const std::filesystem::path& home);

}  // namespace tacho
