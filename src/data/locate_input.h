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

// The spec's dataset, if it exists, is of the kind the spec's model reads, and is here.
Result<LocatedInput> locate_input(const RunSpec& spec, const std::filesystem::path& home);

}  // namespace tacho
