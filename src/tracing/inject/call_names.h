#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "tracing/inject/cupti_api.h"
#include "tracing/tracefile/gpu_trace.h"
#include "tracing/tracefile/gpu_trace_encoder.h"

namespace tacho {

// "cudaLaunchKernel" from CUPTI's "cudaLaunchKernel_v7000" or "cudaLaunchKernel_ptsz_v7000".
std::string_view plain_call_name(std::string_view name);

// True if a call starts work, moves data, waits, or allocates memory. The others (current device,
// last error) are called millions of times and do not explain where the time goes.
bool is_worth_tracing(std::string_view plain_name);

// Kind of wait by the call's name; nullopt if it does not wait.
std::optional<SyncKind> wait_of(std::string_view plain_name);

struct TracedCall {
  std::uint32_t name = 0;  // the encoder's number
  std::optional<SyncKind> wait;
};

// Cache of the calls of both domains by callback number.
class CallNames {
 public:
  CallNames(const CuptiApi& api, GpuTraceEncoder& encoder) : api_(api), encoder_(encoder) {}
  // Returns nullopt for a call that is not worth tracing.
  const std::optional<TracedCall>& find(CallDomain domain, std::uint32_t callback);

 private:
  std::optional<TracedCall> look_up(CallDomain domain, std::uint32_t callback);

  const CuptiApi& api_;
  GpuTraceEncoder& encoder_;
  std::unordered_map<std::uint64_t, std::optional<TracedCall>> known_;
};

// Enables the calls worth tracing one by one if this CUPTI supports that, else all calls.
CuptiResult enable_calls(const CuptiApi& api, CallDomain domain);

}  // namespace tacho
