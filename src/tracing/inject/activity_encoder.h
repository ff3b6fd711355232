#pragma once

#include <cstdint>
#include <functional>
#include <unordered_set>

#include "tracing/inject/call_names.h"
#include "tracing/inject/cupti_api.h"
#include "tracing/inject/kernel_names.h"
#include "tracing/tracefile/gpu_trace_encoder.h"

namespace tacho {

// Decodes CUPTI's activity records into a GpuTraceEncoder.
class ActivityEncoder {
 public:
  // Called once per GPU, at its first record.
  using DescribeGpu = std::function<TracedGpu(std::uint32_t index)>;
  ActivityEncoder(const CuptiApi& api, GpuTraceEncoder& encoder, DescribeGpu describe);

  // Returns false if a record does not match the layout of the known CUPTI releases. Then no later
  // record can be trusted.
  bool encode_buffer(std::uint8_t* buffer, std::size_t valid_size);
  [[nodiscard]] std::uint64_t records() const { return records_; }

 private:
  bool encode(const void* record);
  bool encode_kernel(const void* record);
  void encode_copy(const void* record, bool is_peer);
  void encode_set(const void* record);
  void encode_call(const void* record, CallDomain domain);
  void encode_marker(const void* record);
  void describe_once(std::uint32_t index);
  // True, and counted as dropped, if the driver could not measure the times.
  bool is_untimed(std::int64_t begin_ns, std::int64_t end_ns);

  const CuptiApi& api_;
  GpuTraceEncoder& encoder_;
  DescribeGpu describe_;
  KernelNames kernel_names_;
  CallNames call_names_;
  std::unordered_set<std::uint32_t> gpus_;
  std::uint64_t records_ = 0;
  int checked_kernels_ = 0;
};

}  // namespace tacho
