#include "machine/probe/nvml_api.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace tacho {
namespace {

// Much faster than searching for a missing library. WSL uses /dev/dxg.
bool has_driver() {
  constexpr std::array<const char*, 3> kSigns = {"/proc/driver/nvidia", "/dev/nvidiactl",
                                                 "/dev/dxg"};
  return std::any_of(kSigns.begin(), kSigns.end(),
                     [](const char* sign) { return ::access(sign, F_OK) == 0; });
}

}  // namespace

Result<NvmlApi> load_nvml() {
  constexpr const char* kLibrary = "libnvidia-ml.so.1";
  if (!has_driver()) return Error{ErrorCode::unavailable, "no NVIDIA driver is loaded"};
  NvmlApi api;
  api.library = std::shared_ptr<void>(::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL), [](void* handle) {
    if (handle != nullptr) ::dlclose(handle);
  });
  if (!api.library) {
    return Error{ErrorCode::unavailable,
                 "libnvidia-ml.so.1 of the NVIDIA driver was not found; a container needs the "
                 "driver capability 'utility'"};
  }
  const auto find = [&api](auto& function, const char* name, const char* older = nullptr) {
    void* found = ::dlsym(api.library.get(), name);
    if (found == nullptr && older != nullptr) found = ::dlsym(api.library.get(), older);
    function = reinterpret_cast<std::decay_t<decltype(function)>>(found);
  };
  find(api.init, "nvmlInit_v2");
  find(api.shutdown, "nvmlShutdown");
  find(api.error_string, "nvmlErrorString");
  find(api.device_count, "nvmlDeviceGetCount_v2");
  find(api.device_handle, "nvmlDeviceGetHandleByIndex_v2");
  find(api.device_name, "nvmlDeviceGetName");
  find(api.utilization, "nvmlDeviceGetUtilizationRates");
  find(api.samples, "nvmlDeviceGetSamples");
  find(api.memory_info, "nvmlDeviceGetMemoryInfo");
  find(api.power_usage, "nvmlDeviceGetPowerUsage");
  find(api.total_energy, "nvmlDeviceGetTotalEnergyConsumption");
  find(api.clock_info, "nvmlDeviceGetClockInfo");
  find(api.max_clock_info, "nvmlDeviceGetMaxClockInfo");
  find(api.clocks_event_reasons, "nvmlDeviceGetCurrentClocksEventReasons",
       "nvmlDeviceGetCurrentClocksThrottleReasons");
  find(api.temperature, "nvmlDeviceGetTemperature");
  find(api.process_utilization, "nvmlDeviceGetProcessUtilization");
  find(api.pcie_throughput, "nvmlDeviceGetPcieThroughput");
  const bool usable = api.init != nullptr && api.shutdown != nullptr &&
                      api.device_count != nullptr && api.device_handle != nullptr;
  if (!usable) {
    return Error{ErrorCode::unavailable,
                 "libnvidia-ml.so.1 lacks the calls of driver 319 and later; update the driver"};
  }
  return api;
}

}  // namespace tacho
