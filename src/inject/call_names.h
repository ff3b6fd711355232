#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "inject/cupti_api.h"
#include "tracefile/gpu_trace_encoder.h"

namespace tacho {

// "cudaLaunchKernel" from CUPTI's "cudaLaunchKernel_v7000" or "cudaLaunchKernel_ptsz_v7000".
std::string_view plain_call_name(std::string_view name);

// Whether a call starts work, moves data, waits, or takes memory. The rest (which device is this?
// was there an error?) is called by the million and says nothing about where the time goes.
bool is_worth_tracing(std::string_view plain_name);

// The calls of both domains by number, each looked up once.
class CallNames {
 public:
  static constexpr std::uint32_t kNotTraced = UINT32_MAX;

  CallNames(const CuptiApi& api, GpuTraceEncoder& encoder) : api_(api), encoder_(encoder) {}
  // The encoder's number for the call's name, or kNotTraced.
  std::uint32_t find(CallDomain domain, std::uint32_t callback);

 private:
  std::uint32_t look_up(CallDomain domain, std::uint32_t callback);

  const CuptiApi& api_;
  GpuTraceEncoder& encoder_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
};

// Makes CUPTI record the calls worth tracing; one by one where it can, else all of them.
CuptiResult enable_calls(const CuptiApi& api, CallDomain domain);

}  // namespace tacho
