#pragma once

#include <cstdint>
#include <string>

namespace tacho {

// "1.13.0"; pip's "+cu130" is not known to C++.
std::string torch_version();
// 0 where torch was built without CUDA or sees no GPU. Never throws: a broken driver is no GPU.
std::int64_t cuda_device_count();

}  // namespace tacho
