// A load whose every property is known before it runs: kernels that each spin until the GPU's clock
// has advanced by 50 ms, and copies of a known number of bytes. A GPU trace of it must show the
// same. Prints what it did as JSON.
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kSpins = 10;
constexpr unsigned long long kSpinNs = 50'000'000;
constexpr std::size_t kBytesIn = 123'456'789;
constexpr std::size_t kBytesOut = 7'654'321;
constexpr std::size_t kBytesSet = 1'000'003;

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void spin_for(unsigned long long ns) {
  const unsigned long long until = nanoseconds() + ns;
  while (nanoseconds() < until) {
  }
}

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "known_gpu_load: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

}  // namespace

int main() {
  char* device = nullptr;
  char* pinned = nullptr;
  check(cudaMalloc(&device, kBytesIn), "cudaMalloc");
  check(cudaMallocHost(&pinned, kBytesIn), "cudaMallocHost");
  char* pageable = static_cast<char*>(std::calloc(kBytesOut, 1));
  check(cudaMemcpy(device, pinned, kBytesIn, cudaMemcpyHostToDevice), "copy in");
  check(cudaMemset(device, 1, kBytesSet), "set");
  for (int i = 0; i < kSpins; ++i) {
    spin_for<<<1, 32>>>(kSpinNs);
    check(cudaGetLastError(), "launch");
  }
  check(cudaDeviceSynchronize(), "synchronize");
  check(cudaMemcpy(pageable, device, kBytesOut, cudaMemcpyDeviceToHost), "copy out");
  std::printf("{\"spins\": %d, \"spin_ns\": %llu, \"bytes_in\": %zu, \"bytes_out\": %zu}\n", kSpins,
              kSpinNs, kBytesIn, kBytesOut);
  std::free(pageable);
  cudaFreeHost(pinned);
  cudaFree(device);
}
