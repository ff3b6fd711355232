#pragma once

#include <memory>

#include "base/result.h"

namespace tacho {

// The calls of NVIDIA's management library that are used here, under its names less "nvml". The
// library is opened at run time; tests hand in functions of their own. A call answers 0 or the
// number of an error. Calls that an old driver lacks may be null.
struct NvmlApi {
  using Device = void*;
  struct Utilization {
    unsigned gpu;  // per cent
    unsigned memory;
  };
  struct Memory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
  };
  struct ProcessUse {
    unsigned pid;
    unsigned long long microseconds;  // Unix time
    unsigned sm;                      // per cent
    unsigned memory;
    unsigned encoder;
    unsigned decoder;
  };
  enum Clock : int { clock_sm = 1, clock_memory = 2 };
  enum Pcie : int { pcie_sent = 0, pcie_received = 1 };

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*device_count)(unsigned*) = nullptr;
  int (*device_handle)(unsigned index, Device*) = nullptr;
  int (*device_name)(Device, char*, unsigned length) = nullptr;
  int (*utilization)(Device, Utilization*) = nullptr;
  int (*memory_info)(Device, Memory*) = nullptr;
  int (*power_usage)(Device, unsigned* milliwatts) = nullptr;
  int (*total_energy)(Device, unsigned long long* millijoules) = nullptr;
  int (*clock_info)(Device, int clock, unsigned* mhz) = nullptr;
  int (*max_clock_info)(Device, int clock, unsigned* mhz) = nullptr;
  int (*clocks_event_reasons)(Device, unsigned long long* bits) = nullptr;
  int (*temperature)(Device, int sensor, unsigned* celsius) = nullptr;
  // The processes that used the GPU after `since`; `count` is the room there is, then the number.
  int (*process_utilization)(Device, ProcessUse*, unsigned* count,
                             unsigned long long since) = nullptr;
  int (*pcie_throughput)(Device, int counter, unsigned* kilobytes_per_s) = nullptr;

  std::shared_ptr<void> library = nullptr;  // shared by all copies: its functions live in it
};

// The driver's own library. ErrorCode::unavailable says what is missing.
Result<NvmlApi> load_nvml();

}  // namespace tacho
