#include "inject/cupti_setup.h"

#include <array>

#include "inject/call_names.h"

namespace tacho {
namespace {

// Synchronisations are not among them, nor are markers before NVTX is used: the two made PyTorch
// steps of small kernels a fifth slower, and the calls that wait are traced anyhow.
constexpr std::array kActivities = {ActivityKind::concurrent_kernel, ActivityKind::copy,
                                    ActivityKind::peer_copy, ActivityKind::set};

constexpr std::uint32_t kFlushPeriodMs = 100;

const char* advice_for(CuptiResult result) {
  switch (result) {
    case kCuptiInsufficientPrivileges:
    case kCuptiVirtualDeviceInsufficientPrivileges:
      return "the driver lets only administrators trace; run as root (in a container with "
             "--cap-add=SYS_ADMIN), or load the nvidia module with "
             "NVreg_RestrictProfilingToAdminUsers=0";
    case kCuptiMultipleSubscribers:
    case kCuptiOldProfilerActive:
      return "another profiler is active in this process; run without it, or without tracing";
    case kCuptiNotCompatible:
      return "this CUPTI does not fit the driver; install the nvidia-cuda-cupti of the CUDA "
             "version that nvidia-smi shows";
    default:
      return "check that nvidia-smi works here, and that no other profiler is active in this "
             "process";
  }
}

std::string refusal(const CuptiApi& api, const char* what, CuptiResult result) {
  const char* name = nullptr;
  if (api.result_text(result, &name) != kCuptiSuccess || name == nullptr) name = "error";
  return std::string("CUPTI refused ") + what + " (" + name + ", " + std::to_string(result) +
         "): " + advice_for(result);
}

void set_options(const CuptiApi& api) {
  // Our buffers are zeros; CUPTI need not make them so on the program's own threads.
  std::uint8_t zeroed = 1;
  std::size_t size = sizeof zeroed;
  if (api.set_attribute != nullptr) api.set_attribute(kAttributeZeroedBuffers, &size, &zeroed);
  if (api.set_thread_id_type != nullptr) api.set_thread_id_type(kSystemThreadIds);
}

std::string enable_activities(const CuptiApi& api) {
  for (const ActivityKind kind : kActivities) {
    const CuptiResult result = api.enable(static_cast<std::uint32_t>(kind));
    if (result != kCuptiSuccess) return refusal(api, "to trace", result);
  }
  for (const CallDomain domain : {CallDomain::runtime, CallDomain::driver}) {
    const CuptiResult result = enable_calls(api, domain);
    if (result != kCuptiSuccess) return refusal(api, "to trace calls", result);
  }
  // Without a period CUPTI wakes its thread by heuristics of its own, while the program launches.
  if (api.flush_period != nullptr) api.flush_period(kFlushPeriodMs);
  return "";
}

}  // namespace

std::string begin_activities(const CuptiApi& api, RequestBuffer request, CompleteBuffer complete) {
  set_options(api);
  const CuptiResult result = api.register_callbacks(request, complete);
  if (result != kCuptiSuccess) return refusal(api, "our buffers", result);
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

std::string objection_to_version(std::uint32_t version) {
  if (version >= kOldestCupti) return "";
  return "this CUPTI (version " + std::to_string(version) +
         ") is older than CUDA 12.0, and Tacho cannot read its records; use a program built with "
         "CUDA 12 or later";
}

}  // namespace tacho
