#pragma once

#include <cstddef>
#include <cstdint>

#include "tracefile/gpu_trace.h"

namespace tacho {

// The CUDA driver, as far as it is asked about its GPUs. Null where libcuda is not in the process.
struct DriverApi {
  int (*driver_version)(int* version) = nullptr;
  int (*device_get)(int* device, int index) = nullptr;
  int (*device_name)(char* name, int size, int device) = nullptr;
  int (*device_attribute)(int* value, int attribute, int device) = nullptr;
  int (*device_memory)(std::size_t* bytes, int device) = nullptr;
};

// That of the libcuda the process has loaded already.
DriverApi loaded_driver();

std::uint32_t driver_version(const DriverApi& driver);

// What the driver says of a GPU; fields it says nothing of stay empty. Not to be called before
// cuInit has returned.
TracedGpu describe_gpu(const DriverApi& driver, std::uint32_t index);

}  // namespace tacho
