#include "microbench/comms/gpu_apis.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace tacho {
namespace {

class Library {
 public:
  explicit Library(const char* name) : name_(name), handle_(::dlopen(name, RTLD_NOW)) {}

  template <class Function>
  void take(const char* symbol, Function& function) {
    if (handle_ == nullptr) return;
    function = reinterpret_cast<Function>(::dlsym(handle_, symbol));
    if (function == nullptr && missing_ == nullptr) missing_ = symbol;
  }
  [[nodiscard]] Result<void> complete() const {
    if (handle_ == nullptr) {
      return Error{ErrorCode::unavailable, fmt::format("cannot load {}", name_)};
    }
    if (missing_ == nullptr) return {};
    return Error{ErrorCode::unavailable, fmt::format("{} has no {}", name_, missing_)};
  }

 private:
  const char* name_;
  void* handle_;  // never closed: an unloaded driver may fail to load again
  const char* missing_ = nullptr;
};

}  // namespace

Result<GpuApis> open_gpu_apis() {
  GpuApis apis;
  Library driver("libcuda.so.1");
  driver.take("cuInit", apis.cuda.init);
  driver.take("cuDeviceGetCount", apis.cuda.device_count);
  driver.take("cuDeviceGet", apis.cuda.device_get);
  driver.take("cuDevicePrimaryCtxRetain", apis.cuda.retain_context);
  driver.take("cuCtxSetCurrent", apis.cuda.set_context);
  driver.take("cuMemAlloc_v2", apis.cuda.allocate);
  driver.take("cuMemFree_v2", apis.cuda.release);
  driver.take("cuMemcpyHtoD_v2", apis.cuda.copy_in);
  driver.take("cuMemcpyDtoH_v2", apis.cuda.copy_out);
  driver.take("cuStreamCreate", apis.cuda.make_stream);
  driver.take("cuStreamSynchronize", apis.cuda.finish_stream);
  TACHO_CHECK(driver.complete());
  Library nccl("libnccl.so.2");
  nccl.take("ncclGetUniqueId", apis.nccl.get_id);
  nccl.take("ncclCommInitRank", apis.nccl.join);
  nccl.take("ncclCommDestroy", apis.nccl.leave);
  nccl.take("ncclAllReduce", apis.nccl.all_reduce);
  nccl.take("ncclBroadcast", apis.nccl.broadcast);
  nccl.take("ncclAllGather", apis.nccl.all_gather);
  nccl.take("ncclGetErrorString", apis.nccl.error);
  TACHO_CHECK(nccl.complete());
  return apis;
}

Result<int> gpu_count(const CudaApi& cuda) {
  int count = 0;
  if (cuda.init(0) != 0 || cuda.device_count(&count) != 0) {
    return Error{ErrorCode::unavailable, "the CUDA driver reports no GPU"};
  }
  return count;
}

}  // namespace tacho
