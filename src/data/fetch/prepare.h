#pragma once

#include <filesystem>

#include "base/result.h"
#include "data/catalog.h"
#include "data/fetch/verify.h"

namespace tacho {

// Verifies a dataset's files in `from`, plain or compressed, and copies them into home/data/NAME,
// which it returns. The folder appears whole or not at all: whatever interrupts this, running it
// again is all there is to do.
Result<std::filesystem::path> prepare(const DatasetInfo& info, const std::filesystem::path& from,
                                      const std::filesystem::path& home, const Say& say);

}  // namespace tacho
