// Managed memory, which host and GPU share under one address: pages move when touched, when
// prefetched, or never.
#include <chrono>
#include <cstring>

#include "programs/gpubench/case.cuh"

namespace tacho::gpubench {
namespace {

using Clock = std::chrono::steady_clock;

__global__ void copy_out(const uint4* __restrict__ from, uint4* __restrict__ to, int64_t packs) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < packs;
       i += stride) {
    to[i] = from[i];
  }
}

struct Managed {
  explicit Managed(size_t bytes) {
    if (cudaMallocManaged(&at, bytes) != cudaSuccess) at = nullptr;
  }
  Managed(const Managed&) = delete;
  Managed& operator=(const Managed&) = delete;
  ~Managed() { cudaFree(at); }
  void* at = nullptr;
};

// Before CUDA 13 a location was a device number.
#if CUDART_VERSION >= 13000
cudaMemLocation place(cudaMemLocationType type, int id) {
  cudaMemLocation location{};
  location.type = type;
  location.id = id;
  return location;
}
cudaMemLocation gpu(int device) { return place(cudaMemLocationTypeDevice, device); }
cudaMemLocation host() { return place(cudaMemLocationTypeHost, 0); }
void fetch(const void* at, size_t bytes, int device) {
  cudaMemPrefetchAsync(at, bytes, gpu(device), 0, nullptr);
}
#else
int gpu(int device) { return device; }
int host() { return cudaCpuDeviceId; }
void fetch(const void* at, size_t bytes, int device) {
  cudaMemPrefetchAsync(at, bytes, device, nullptr);
}
#endif

enum class Way { touched, asked_for, left_there };

const char* name_of(Way way) {
  switch (way) {
    case Way::touched:
      return "to the GPU, managed, on demand";
    case Way::asked_for:
      return "to the GPU, managed, prefetched";
    case Way::left_there:
      return "to the GPU, managed, read in place";
  }
  return "";
}

const char* limit_of(Way way) {
  switch (way) {
    case Way::touched:
      return "page faults: the driver moves a few pages per fault while the GPU waits";
    case Way::asked_for:
      return "page table updates on both sides, then the link";
    case Way::left_there:
      return "the link, with loads of 32 to 128 bytes";
  }
  return "";
}

}  // namespace

std::vector<GpuMeasured> measure_managed(int64_t bytes, bool quick, void* to,
                                         std::string& problem) {
  int device = 0;
  int concurrent = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, device);
  // Without concurrent access all pages move before a kernel starts, as in a copy.
  if (concurrent == 0) return {};
  const auto size = static_cast<size_t>(bytes);
  std::vector<GpuMeasured> all;
  for (const Way way : {Way::touched, Way::asked_for, Way::left_there}) {
    const Managed from(size);
    if (from.at == nullptr) {
      problem = "managed memory could not be allocated";
      return {};
    }
    if (way == Way::left_there) {
      cudaMemAdvise(from.at, size, cudaMemAdviseSetPreferredLocation, host());
      cudaMemAdvise(from.at, size, cudaMemAdviseSetAccessedBy, gpu(device));
    }
    GpuMeasured measured{
        {"transfer", name_of(way), "any", "host link", bytes, bytes, bytes, "", limit_of(way)}, {}};
    const int samples = quick ? 3 : 5;
    for (int i = 0; i <= samples; ++i) {
      std::memset(from.at, i + 1, size);  // moves the pages back to the host
      cudaDeviceSynchronize();
      const auto begin = Clock::now();
      if (way == Way::asked_for) fetch(from.at, size, device);
      launch(copy_out, {4096, kThreads}, static_cast<const uint4*>(from.at),
             static_cast<uint4*>(to), bytes / 16);
      cudaDeviceSynchronize();
      const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      if (i > 0) measured.seconds.push_back(seconds);
    }
    unsigned char last = 0;
    cudaMemcpy(&last, static_cast<char*>(to) + size - 1, 1, cudaMemcpyDeviceToHost);
    if (last != samples + 1 || cudaGetLastError() != cudaSuccess) {
      problem = std::string(name_of(way)) + ": the data that arrived differs from the data written";
      return {};
    }
    all.push_back(std::move(measured));
  }
  return all;
}

}  // namespace tacho::gpubench
