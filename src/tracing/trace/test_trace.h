#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tracing/tracefile/gpu_trace.h"

namespace tacho {

inline constexpr std::int64_t kUs = 1000;
inline constexpr std::int64_t kMs = 1000 * kUs;

// Simulates a program and its GPU: host threads launch, wait and sleep, streams execute their
// queues. trace() returns what a tracer would have recorded, so tests know the true values.
class TestProgram {
 public:
  TestProgram() {
    trace_.process = 7;
    trace_.program = "python3 train.py";
    trace_.gpus.push_back({0, "Test GPU", 9, 0, 100, 1LL << 36, 4e12, 1.5e9});
    trace_.shapes.push_back({{200, 1, 1}, {256, 1, 1}, 32, 0, 0});
  }

  std::int64_t launch_cost_ns = 4 * kUs;  // of the call
  std::int64_t latency_ns = 2 * kUs;      // from the call's end to the kernel's begin, at least
  std::int64_t turn_ns = 1 * kUs;         // between two kernels of a full queue
  std::uint32_t thread = 1;               // makes the calls from now on
  std::uint32_t stream = 7;
  std::uint32_t shape = 0;

  [[nodiscard]] std::int64_t now() const { return host_; }
  void sleep(std::int64_t ns) { host_ += ns; }

  std::uint32_t name(const std::string& text) {
    const auto [at, is_new] =
        names_.try_emplace(text, static_cast<std::uint32_t>(trace_.names.size()));
    if (is_new) trace_.names.push_back(text);
    return at->second;
  }

  std::uint32_t new_shape(std::uint32_t grid) {
    trace_.shapes.push_back({{grid, 1, 1}, {128, 1, 1}, 32, 0, 0});
    return static_cast<std::uint32_t>(trace_.shapes.size() - 1);
  }

  void kernel(const std::string& text, std::int64_t ns) {
    const std::uint32_t correlation = call("cudaLaunchKernel", launch_cost_ns);
    run_kernel(text, ns, correlation, 0);
  }

  void graph(const std::vector<std::pair<std::string, std::int64_t>>& kernels) {
    const std::uint32_t correlation = call("cudaGraphLaunch", 10 * kUs);
    std::uint64_t node = 1;
    for (const auto& [text, ns] : kernels) run_kernel(text, ns, correlation, node++);
  }

  void copy(CopyKind kind, std::int64_t bytes, std::int64_t ns, bool pageable = false) {
    const std::uint32_t correlation = call("cudaMemcpyAsync", launch_cost_ns);
    const std::int64_t begin = next_begin();
    trace_.copies.push_back({begin, begin + ns, bytes, 0, kind, pageable, 0, stream, correlation});
    free_[stream] = begin + ns;
  }

  // Waits until the stream has nothing left to do.
  void wait() {
    const std::int64_t begin = host_;
    host_ = std::max(host_ + 2 * kUs, free_[stream] + 3 * kUs);
    record_call("cudaStreamSynchronize", begin);
  }

  // The stream waits for another, as frameworks do with events.
  void join(std::uint32_t other) { free_[stream] = std::max(free_[stream], free_[other]); }

  GpuTrace trace() {
    GpuTrace done = trace_;
    const auto by_begin = [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; };
    std::stable_sort(done.kernels.begin(), done.kernels.end(), by_begin);
    std::stable_sort(done.copies.begin(), done.copies.end(), by_begin);
    std::stable_sort(done.calls.begin(), done.calls.end(), by_begin);
    std::stable_sort(done.ranges.begin(), done.ranges.end(), by_begin);
    done.ended = true;
    return done;
  }

  GpuTrace& raw() { return trace_; }

 private:
  std::uint32_t record_call(const std::string& text, std::int64_t begin) {
    trace_.calls.push_back({begin, host_, name(text), thread, ++correlation_});
    return correlation_;
  }
  std::uint32_t call(const std::string& text, std::int64_t cost) {
    const std::int64_t begin = host_;
    host_ += cost;
    return record_call(text, begin);
  }
  std::int64_t next_begin() { return std::max(host_ + latency_ns, free_[stream] + turn_ns); }
  void run_kernel(const std::string& text, std::int64_t ns, std::uint32_t correlation,
                  std::uint64_t node) {
    const std::int64_t begin = next_begin();
    trace_.kernels.push_back({begin, begin + ns, node, name(text), shape, 0, stream, correlation});
    free_[stream] = begin + ns;
  }

  GpuTrace trace_;
  std::unordered_map<std::string, std::uint32_t> names_;
  std::map<std::uint32_t, std::int64_t> free_;
  std::int64_t host_ = 1'000'000'000;
  std::uint32_t correlation_ = 0;
};

}  // namespace tacho
