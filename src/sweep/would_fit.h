#pragma once

#include <cstdint>
#include <optional>

#include "sweep/configuration.h"

namespace tacho {

// Whether a run is sure to need more memory than another: all options are the same but a larger
// batch, and a seed, which takes no memory.
bool needs_more_memory(const Configuration& larger, const Configuration& smaller);

// The configuration's batch size, if it has one that is a number.
std::optional<std::int64_t> batch_of(const Configuration& configuration);

// What all configurations have in common of which one can need more memory than another.
std::string memory_family(const Configuration& configuration);

}  // namespace tacho
