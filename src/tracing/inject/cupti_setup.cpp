#include "tracing/inject/cupti_setup.h"

#include <array>

#include "tracing/inject/call_names.h"

namespace tacho {
namespace {

// Without synchronisations, and without markers until NVTX is used: the two made PyTorch steps with
// small kernels a fifth slower, and the calls that wait are traced anyway.
constexpr std::array kActivities = {ActivityKind::concurrent_kernel, ActivityKind::copy,
                                    ActivityKind::peer_copy, ActivityKind::set};

constexpr std::uint32_t kFlushPeriodMs = 100;

const char* advice_for(CuptiResult result) {
  switch (result) {
    case kCuptiInsufficientPrivileges:
    case kCuptiVirtualDeviceInsufficientPrivileges:
      return "the driver allows only administrators to trace; run as root (in a container with "
             "--cap-add=SYS_ADMIN), or load the nvidia module with "
             "NVreg_RestrictProfilingToAdminUsers=0";
    case kCuptiMultipleSubscribers:
    case kCuptiOldProfilerActive:
      return "another profiler is active in this process; run without it, or without tracing";
    case kCuptiNotCompatible:
      return "this CUPTI does not match the driver; install the nvidia-cuda-cupti for the CUDA "
             "version that nvidia-smi shows";
    default:
      return "check that nvidia-smi works here, and that no other profiler is active in this "
             "process";
  }
}

std::string refusal_text(const CuptiApi& api, const char* what, CuptiResult result) {
  const char* name = nullptr;
  if (api.result_text(result, &name) != kCuptiSuccess || name == nullptr) name = "error";
  return std::string("CUPTI refused ") + what + " (" + name + ", " + std::to_string(result) +
         "): " + advice_for(result);
}

void set_options(const CuptiApi& api) {
  // The buffers are already zero, so CUPTI need not zero them on the program's threads.
  std::uint8_t zeroed = 1;
  std::size_t size = sizeof zeroed;
  if (api.set_attribute != nullptr) api.set_attribute(kAttributeZeroedBuffers, &size, &zeroed);
  if (api.set_thread_id_type != nullptr) api.set_thread_id_type(kSystemThreadIds);
}

std::string enable_activities(const CuptiApi& api) {
  for (const ActivityKind kind : kActivities) {
    const CuptiResult result = api.enable(static_cast<std::uint32_t>(kind));
    if (result != kCuptiSuccess) return refusal_text(api, "to trace", result);
  }
  for (const CallDomain domain : {CallDomain::runtime, CallDomain::driver}) {
    const CuptiResult result = enable_calls(api, domain);
    if (result != kCuptiSuccess) return refusal_text(api, "to trace calls", result);
  }
  // Without a period, CUPTI wakes its thread by heuristics, while the program launches kernels.
  if (api.flush_period != nullptr) api.flush_period(kFlushPeriodMs);
  return "";
}

}  // namespace

std::string begin_activities(const CuptiApi& api, RequestBuffer request, CompleteBuffer complete) {
  set_options(api);
  const CuptiResult result = api.register_callbacks(request, complete);
  if (result != kCuptiSuccess) return refusal_text(api, "to use buffers", result);
  std::string problem = enable_activities(api);
  if (!problem.empty()) end_activities(api);
  return problem;
}

void end_activities(const CuptiApi& api) {
  for (const ActivityKind kind : kActivities) api.disable(static_cast<std::uint32_t>(kind));
  api.disable(static_cast<std::uint32_t>(ActivityKind::marker));
  api.disable(static_cast<std::uint32_t>(ActivityKind::runtime_call));
  api.disable(static_cast<std::uint32_t>(ActivityKind::driver_call));
}

std::string version_problem(std::uint32_t version) {
  if (version >= kOldestCupti) return "";
  return "this CUPTI (version " + std::to_string(version) +
         ") is older than CUDA 12.0, and Tacho cannot read its records; use a program built for "
         "CUDA 12 or later";
}

}  // namespace tacho
