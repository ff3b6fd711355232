#include "tracing/inject/gpu_facts.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tacho {
namespace {

TEST(GpuFacts, ComeFromTheDriver) {
  DriverApi driver;
  driver.driver_version = [](int* version) {
    *version = 13000;
    return 0;
  };
  driver.device_get = [](int* device, int index) {
    *device = 40 + index;
    return 0;
  };
  driver.device_name = [](char* name, int, int device) {
    EXPECT_EQ(device, 42);
    std::strcpy(name, "NVIDIA H200");  // NOLINT
    return 0;
  };
  driver.device_memory = [](std::size_t* bytes, int) {
    *bytes = 150'000'000'000;
    return 0;
  };
  driver.device_attribute = [](int* value, int attribute, int) {
    switch (attribute) {
      case 13:
        *value = 1'980'000;
        break;
      case 16:
        *value = 132;
        break;
      case 36:
        *value = 3'201'000;
        break;
      case 37:
        *value = 6144;
        break;
      case 75:
        *value = 9;
        break;
      case 76:
        *value = 0;
        break;
      default:
        return 1;
    }
    return 0;
  };
  EXPECT_EQ(driver_version(driver), 13000U);
  const TracedGpu gpu = describe_gpu(driver, 2);
  EXPECT_EQ(gpu.index, 2U);
  EXPECT_EQ(gpu.name, "NVIDIA H200");
  EXPECT_EQ(gpu.compute_major, 9U);
  EXPECT_EQ(gpu.compute_minor, 0U);
  EXPECT_EQ(gpu.multiprocessors, 132U);
  EXPECT_EQ(gpu.memory_bytes, 150'000'000'000);
  EXPECT_DOUBLE_EQ(gpu.clock_hz, 1.98e9);
  EXPECT_DOUBLE_EQ(gpu.memory_bytes_per_s, 2 * 3.201e9 * 768);
}

TEST(GpuFacts, StayEmptyWithoutADriver) {
  EXPECT_EQ(driver_version({}), 0U);
  const TracedGpu gpu = describe_gpu({}, 3);
  EXPECT_EQ(gpu.index, 3U);
  EXPECT_EQ(gpu.name, "");
  EXPECT_EQ(gpu.memory_bytes_per_s, 0);
}

}  // namespace
}  // namespace tacho
