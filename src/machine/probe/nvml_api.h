#pragma once

#include <memory>

#include "base/result.h"

namespace tacho {

// The NVML functions that are used here, named like in NVML without "nvml". The library is opened
// at run time; tests pass their own functions. A function returns 0 or an error code. Functions
// that an old driver lacks are null.
struct NvmlApi {
  using Device = void*;
  struct Utilization {
    unsigned gpu;  // per cent
    unsigned memory;
  };
  // A value that the driver measured by itself, several times per second.
  struct Sample {
    unsigned long long microseconds;  // Unix time
    unsigned value;
    unsigned unused;  // the value is a union of 8 bytes
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
  enum SampleKind : int { sample_busy = 1 };    // per cent
  enum ValueType : int { unsigned_value = 1 };  // of Sample
  enum Clock : int { clock_sm = 1, clock_memory = 2 };
  enum Pcie : int { pcie_sent = 0, pcie_received = 1 };

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*device_count)(unsigned*) = nullptr;
  int (*device_handle)(unsigned index, Device*) = nullptr;
  int (*device_name)(Device, char*, unsigned length) = nullptr;
  int (*utilization)(Device, Utilization*) = nullptr;
  // Returns the samples after `since`; `count` is the capacity, then the number. Without an array,
  // `count` becomes the size of the driver's buffer.
  int (*samples)(Device, int kind, unsigned long long since, int* type, unsigned* count,
                 Sample*) = nullptr;
  int (*memory_info)(Device, Memory*) = nullptr;
  int (*power_usage)(Device, unsigned* milliwatts) = nullptr;
  int (*total_energy)(Device, unsigned long long* millijoules) = nullptr;
  int (*clock_info)(Device, int clock, unsigned* mhz) = nullptr;
  int (*max_clock_info)(Device, int clock, unsigned* mhz) = nullptr;
  int (*clocks_event_reasons)(Device, unsigned long long* bits) = nullptr;
  int (*temperature)(Device, int sensor, unsigned* celsius) = nullptr;
  // Returns the processes that used the GPU after `since`; `count` is the capacity, then the
  // number.
  int (*process_utilization)(Device, ProcessUse*, unsigned* count,
                             unsigned long long since) = nullptr;
  int (*pcie_throughput)(Device, int counter, unsigned* kilobytes_per_s) = nullptr;

  std::shared_ptr<void> library = nullptr;  // shared by all copies: it contains the functions
};

// Loads the library of the driver. ErrorCode::unavailable says what is missing.
Result<NvmlApi> load_nvml();

}  // namespace tacho
