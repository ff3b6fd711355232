#pragma once

// The functions of the CUDA driver and of NCCL that the benchmarks use. Both libraries are opened
// at run time, so no build needs their headers and no machine needs a GPU. Tests pass their own
// functions.

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace tacho {

struct CudaApi {
  using Address = unsigned long long;  // NOLINT(google-runtime-int): CUdeviceptr is one
  int (*init)(unsigned flags) = nullptr;
  int (*device_count)(int* count) = nullptr;
  int (*device_get)(int* device, int ordinal) = nullptr;
  int (*retain_context)(void** context, int device) = nullptr;
  int (*set_context)(void* context) = nullptr;
  int (*allocate)(Address* address, std::size_t bytes) = nullptr;
  int (*release)(Address address) = nullptr;
  int (*copy_in)(Address to, const void* from, std::size_t bytes) = nullptr;
  int (*copy_out)(void* to, Address from, std::size_t bytes) = nullptr;
  int (*make_stream)(void** stream, unsigned flags) = nullptr;
  int (*finish_stream)(void* stream) = nullptr;
};

struct NcclApi {
  static constexpr std::size_t kIdBytes = 128;
  using Id = std::array<char, kIdBytes>;
  // Constants of NCCL's interface, unchanged since version 2.
  static constexpr int kSum = 0;
  static constexpr int kByte = 1;
  static constexpr int kFloat = 7;
  int (*get_id)(Id* id) = nullptr;
  int (*join)(void** communicator, int ranks, Id id, int rank) = nullptr;
  int (*leave)(void* communicator) = nullptr;
  int (*all_reduce)(const void* from, void* to, std::size_t count, int type, int operation,
                    void* communicator, void* stream) = nullptr;
  int (*broadcast)(const void* from, void* to, std::size_t count, int type, int root,
                   void* communicator, void* stream) = nullptr;
  int (*all_gather)(const void* from, void* to, std::size_t own_count, int type, void* communicator,
                    void* stream) = nullptr;
  const char* (*error)(int status) = nullptr;
};

struct GpuApis {
  CudaApi cuda;
  NcclApi nccl;
};

// An Error names the library that is missing.
Result<GpuApis> open_gpu_apis();

// Returns the number of GPUs visible to this process, or an Error if the driver does not work.
Result<int> gpu_count(const CudaApi& cuda);

}  // namespace tacho
