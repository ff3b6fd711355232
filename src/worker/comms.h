#pragma once

#include <filesystem>

namespace tacho {

// One rank's part of 'tacho lab comms'; its place among the others is in the environment.
int measure_comms_in(const std::filesystem::path& folder);

}  // namespace tacho
