#include "tracing/inject/gpu_facts.h"

#include <dlfcn.h>

#include <array>

#include "tracing/inject/symbol.h"

namespace tacho {
namespace {

enum Attribute {
  kClockKilohertz = 13,
  kMultiprocessors = 16,
  kMemoryClockKilohertz = 36,
  kMemoryBusBits = 37,
  kComputeMajor = 75,
  kComputeMinor = 76,
};

}  // namespace

DriverApi loaded_driver() {
  DriverApi driver;
  void* library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return driver;
  find_symbol(library, "cuDriverGetVersion", driver.driver_version);
  find_symbol(library, "cuDeviceGet", driver.device_get);
  find_symbol(library, "cuDeviceGetName", driver.device_name);
  find_symbol(library, "cuDeviceGetAttribute", driver.device_attribute);
  find_symbol(library, "cuDeviceTotalMem_v2", driver.device_memory);
  return driver;
}

std::uint32_t driver_version(const DriverApi& driver) {
  int version = 0;
  if (driver.driver_version == nullptr || driver.driver_version(&version) != 0) return 0;
  return static_cast<std::uint32_t>(version);
}

TracedGpu describe_gpu(const DriverApi& driver, std::uint32_t index) {
  TracedGpu gpu{.index = index};
  int device = 0;
  if (driver.device_get == nullptr || driver.device_get(&device, static_cast<int>(index)) != 0) {
    return gpu;
  }
  std::array<char, 256> name{};
  if (driver.device_name != nullptr &&
      driver.device_name(name.data(), static_cast<int>(name.size()) - 1, device) == 0) {
    gpu.name = name.data();
  }
  std::size_t bytes = 0;
  if (driver.device_memory != nullptr && driver.device_memory(&bytes, device) == 0) {
    gpu.memory_bytes = static_cast<std::int64_t>(bytes);
  }
  const auto attribute = [&](Attribute which) {
    int value = 0;
    if (driver.device_attribute == nullptr || driver.device_attribute(&value, which, device) != 0 ||
        value < 0) {
      return 0;
    }
    return value;
  };
  gpu.compute_major = static_cast<std::uint32_t>(attribute(kComputeMajor));
  gpu.compute_minor = static_cast<std::uint32_t>(attribute(kComputeMinor));
  gpu.multiprocessors = static_cast<std::uint32_t>(attribute(kMultiprocessors));
  gpu.clock_hz = attribute(kClockKilohertz) * 1e3;
  // Two transfers per clock cycle.
  gpu.memory_bytes_per_s =
      2 * (attribute(kMemoryClockKilohertz) * 1e3) * (attribute(kMemoryBusBits) / 8.0);
  return gpu;
}

}  // namespace tacho
