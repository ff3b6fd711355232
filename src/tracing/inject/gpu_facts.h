#pragma once

#include <cstddef>
#include <cstdint>

#include "tracing/tracefile/gpu_trace.h"

namespace tacho {

// The functions of the CUDA driver that describe GPUs. All null if libcuda is not loaded.
struct DriverApi {
  int (*driver_version)(int* version) = nullptr;
  int (*device_get)(int* device, int index) = nullptr;
  int (*device_name)(char* name, int size, int device) = nullptr;
  int (*device_attribute)(int* value, int attribute, int device) = nullptr;
  int (*device_memory)(std::size_t* bytes, int device) = nullptr;
};

// The functions of the libcuda that the process has already loaded.
DriverApi loaded_driver();

std::uint32_t driver_version(const DriverApi& driver);

// Describes a GPU; fields that the driver does not provide stay empty. Must not be called before
// cuInit has returned.
TracedGpu describe_gpu(const DriverApi& driver, std::uint32_t index);

}  // namespace tacho
