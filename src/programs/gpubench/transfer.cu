// Transfers between host and GPU memory: pageable and pinned, one way and both ways at once.
#include <chrono>
#include <cstring>
#include <memory>

#include "programs/gpubench/case.cuh"

namespace tacho::gpubench {
namespace {

using Clock = std::chrono::steady_clock;

struct Pinned {
  explicit Pinned(size_t bytes) {
    if (cudaMallocHost(&at, bytes) != cudaSuccess) at = nullptr;
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() { cudaFreeHost(at); }
  void* at = nullptr;
};

struct TwoStreams {
  TwoStreams() {
    cudaStreamCreateWithFlags(&up, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&down, cudaStreamNonBlocking);
  }
  TwoStreams(const TwoStreams&) = delete;
  TwoStreams& operator=(const TwoStreams&) = delete;
  ~TwoStreams() {
    cudaStreamDestroy(up);
    cudaStreamDestroy(down);
  }
  void finish() const {
    cudaStreamSynchronize(up);
    cudaStreamSynchronize(down);
  }
  cudaStream_t up = nullptr;
  cudaStream_t down = nullptr;
};

// Timed by the host's clock: a copy of pageable memory returns when the host has done its part.
template <class Pass>
std::vector<double> timed(int samples, Pass pass) {
  std::vector<double> seconds;
  pass();
  for (int i = 0; i < samples; ++i) {
    const auto begin = Clock::now();
    pass();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return seconds;
}

GpuForm moving(const char* form, int64_t bytes, int ways, const char* waste, const char* limit,
               int64_t more = 0) {
  return {"transfer",          form,  "any", "host link", bytes, ways * bytes,
          ways * bytes + more, waste, limit};
}

}  // namespace

std::vector<GpuMeasured> measure_transfers(int64_t bytes, bool quick, void* device, void* other,
                                           std::string& problem) {
  const auto size = static_cast<size_t>(bytes);
  const Pinned pinned(size);
  const Pinned second(size);
  const auto pageable = std::make_unique<char[]>(size);
  if (pinned.at == nullptr || second.at == nullptr) {
    problem = "pinned host memory could not be allocated";
    return {};
  }
  std::memset(pageable.get(), 1, size);
  std::memset(pinned.at, 2, size);
  const TwoStreams streams;
  const int samples = quick ? 3 : 9;
  const char* staged = "copied once more on the host, into a pinned buffer of the driver";
  std::vector<GpuMeasured> all;
  all.push_back(
      {moving("to the GPU, pageable", bytes, 1, staged, "one host thread copies", 2 * bytes),
       timed(samples, [&] {
         cudaMemcpy(device, pageable.get(), size, cudaMemcpyHostToDevice);
         cudaDeviceSynchronize();
       })});
  all.push_back(
      {moving("to the host, pageable", bytes, 1, staged, "one host thread copies", 2 * bytes),
       timed(samples, [&] { cudaMemcpy(pageable.get(), device, size, cudaMemcpyDeviceToHost); })});
  all.push_back(
      {moving("to the GPU, pinned", bytes, 1, "", "the link, one way"), timed(samples, [&] {
         cudaMemcpyAsync(device, pinned.at, size, cudaMemcpyHostToDevice, streams.up);
         streams.finish();
       })});
  all.push_back(
      {moving("to the host, pinned", bytes, 1, "", "the link, one way"), timed(samples, [&] {
         cudaMemcpyAsync(second.at, device, size, cudaMemcpyDeviceToHost, streams.down);
         streams.finish();
       })});
  if (std::memcmp(pinned.at, second.at, size) != 0) {
    problem = "the data read back from the GPU differs from the data sent";
    return {};
  }
  all.push_back({moving("both ways at once, pinned", bytes, 2, "", ""), timed(samples, [&] {
                   cudaMemcpyAsync(device, pinned.at, size, cudaMemcpyHostToDevice, streams.up);
                   cudaMemcpyAsync(second.at, other, size, cudaMemcpyDeviceToHost, streams.down);
                   streams.finish();
                 })});
  all.push_back(
      {moving("to the GPU, pinned, in pieces of 64 KiB", bytes, 1, "", "launch cost per copy"),
       timed(samples, [&] {
         constexpr size_t kPiece = 64 << 10;
         for (size_t at = 0; at < size; at += kPiece) {
           cudaMemcpyAsync(
               static_cast<char*>(device) + at, static_cast<const char*>(pinned.at) + at,
               kPiece < size - at ? kPiece : size - at, cudaMemcpyHostToDevice, streams.up);
         }
         streams.finish();
       })});
  return all;
}

}  // namespace tacho::gpubench
