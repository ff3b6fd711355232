#pragma once

// What the lab needs of CUDA's driver and of NCCL, as they call it. Both are opened at run time, so
// that no build needs their headers and no machine needs a GPU; a test hands in functions of its
// own.

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
  // Of NCCL's interface, which has kept them since its second version.
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

// An Error says which of the two is missing.
Result<GpuApis> open_gpu_apis();

// GPUs that the driver shows this process. An Error where it cannot say.
Result<int> gpu_count(const CudaApi& cuda);

}  // namespace tacho
