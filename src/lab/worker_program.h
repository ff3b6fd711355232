#pragma once

#include <filesystem>

#include "base/json_object.h"
#include "base/result.h"

namespace tacho {

// $TACHO_WORKER, else the tacho-worker beside this program.
Result<std::filesystem::path> find_worker();

// What the worker says of torch on this machine ('tacho-worker describe').
Result<Json> describe_worker(const std::filesystem::path& worker);

}  // namespace tacho
