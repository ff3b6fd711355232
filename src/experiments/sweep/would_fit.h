#pragma once

#include <cstdint>
#include <optional>

#include "core/record/configuration.h"

namespace tacho {

// Returns true if a run certainly needs more memory than another: it has a larger batch, and all
// other options except the seed are the same.
bool needs_more_memory(const Configuration& larger, const Configuration& smaller);

// Returns the batch size if the configuration has a numeric one.
std::optional<std::int64_t> batch_of(const Configuration& configuration);

// Returns the configuration without batch and seed, as text: within one such family, memory grows
// with the batch.
std::string memory_family(const Configuration& configuration);

}  // namespace tacho
