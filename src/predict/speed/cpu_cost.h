#pragma once

#include <cstdint>
#include <string>

#include "base/enum_array.h"
#include "base/names.h"
#include "predict/speed/own_layers.h"

namespace tacho {

// What the cost model of CPUs is made of. Fitted to runs, see fit_cpu.h.
enum class CpuRate : std::uint8_t {
  convolution,  // share of the nominal rate that wide convolutions reach
  narrow,       // channels that a narrow convolution is padded by
  depthwise,    // share of it in depthwise convolutions
  traffic,      // bytes per second to and from memory, on one core
  launch,       // seconds per operation
  threads,      // exponent by which more threads speed up everything but launches
};
inline constexpr std::size_t kCpuRates = 6;
inline constexpr Names<CpuRate, kCpuRates> kCpuRateNames{"rate of CPUs",
                                                         {{{CpuRate::convolution, "convolution"},
                                                           {CpuRate::narrow, "narrow"},
                                                           {CpuRate::depthwise, "depthwise"},
                                                           {CpuRate::traffic, "traffic"},
                                                           {CpuRate::launch, "launch"},
                                                           {CpuRate::threads, "threads"}}}};
using CpuRates = EnumArray<CpuRate, double, kCpuRates>;

// A machine as the cost model sees it.
struct CpuMachine {
  std::string name;           // "Neoverse-N1", "c7i.4xlarge"
  double cores = 1;           // physical
  double nominal_gflops = 0;  // of a core: operations per cycle times base clock
  double product_gflops = 0;  // of a core, in a large fp32 matrix product
  double rate_reach = 0;      // 90 % interval of the latter, in logarithms; 0: measured
  std::string rate_basis;     // "measured here", "assumed for AVX-512"
};

// Seconds of a step on `cores` cores.
double cpu_step(const OwnNetwork& network, double batch, double cores, const CpuMachine& machine,
                const CpuRates& rates);

// No step is faster: all multiply-adds at the nominal rate with the highest clock.
double shortest_cpu_step(const OwnNetwork& network, double batch, double cores,
                         const CpuMachine& machine);

}  // namespace tacho
