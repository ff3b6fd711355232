#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "inject/cupti_api.h"
#include "tracefile/gpu_trace.h"
#include "tracefile/gpu_trace_encoder.h"

namespace tacho {

// "cudaLaunchKernel" from CUPTI's "cudaLaunchKernel_v7000" or "cudaLaunchKernel_ptsz_v7000".
std::string_view plain_call_name(std::string_view name);

// Whether a call starts work, moves data, waits, or takes memory. The rest (which device is this?
// was there an error?) is called by the million and says nothing about where the time goes.
bool is_worth_tracing(std::string_view plain_name);

// How a call waits, by its name; nothing if it does not.
std::optional<SyncKind> wait_of(std::string_view plain_name);

struct TracedCall {
  std::uint32_t name = 0;  // the encoder's number
  std::optional<SyncKind> wait;
};

// The calls of both domains by number, each looked up once.
class CallNames {
 public:
  CallNames(const CuptiApi& api, GpuTraceEncoder& encoder) : api_(api), encoder_(encoder) {}
  // Nothing for a call that is not worth tracing.
  const std::optional<TracedCall>& find(CallDomain domain, std::uint32_t callback);

 private:
  std::optional<TracedCall> look_up(CallDomain domain, std::uint32_t callback);

  const CuptiApi& api_;
  GpuTraceEncoder& encoder_;
  std::unordered_map<std::uint64_t, std::optional<TracedCall>> known_;
};

// Makes CUPTI record the calls worth tracing; one by one where it can, else all of them.
CuptiResult enable_calls(const CuptiApi& api, CallDomain domain);

}  // namespace tacho
