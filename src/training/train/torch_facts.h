#pragma once

#include <cstdint>
#include <string>

namespace tacho {

// "1.13.0"; pip's "+cu130" is not available in C++.
std::string torch_version();
// Returns 0 if torch was built without CUDA or sees no GPU. Never throws: a broken driver counts as
// no GPU.
std::int64_t cuda_device_count();

}  // namespace tacho
