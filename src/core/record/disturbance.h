#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/record/usage.h"

namespace tacho {

// Use of the machine by others during a measurement. Absent values are unknown and count as no
// disturbance.
struct Contention {
  double seconds = 0;
  std::int64_t processors = 0;     // of the machine; 0: unknown
  std::optional<double> others_s;  // CPU time of other programs
  std::optional<double> stolen_s;  // by the hypervisor
  // Of the busy thread that waited most for a processor; of all threads together if single threads
  // were not recorded.
  std::optional<double> ran_s;
  std::optional<double> waited_s;
  std::optional<double> throttled_share;  // of the time, by a CPU quota
  struct Gpu {
    std::int64_t index = 0;
    double shared = 0;  // share of the samples in which other processes computed on it
    double slowed = 0;  // share of the samples in which heat or a fault lowered its clocks
  };
  std::vector<Gpu> gpus;
};
Contention contention_of(const UsageLog& usage);

// Disturbances below this share of the time are within the noise of repeated runs.
inline constexpr double kDisturbing = 0.05;

// Returns the reasons why the measurement is not comparable with others, with numbers: "other
// programs took 31 % of the processors". Empty if there are none. The reasons are:
//
// - Other programs: a thread lost at least kDisturbing of its time to them, measured as the smaller
//   of the time it waited for a processor and the CPU time they used. Waiting alone is not
//   conclusive, because the threads of a run also compete with each other. If waiting is unknown:
//   they used at least kDisturbing of all processors.
// - The hypervisor gave at least kDisturbing of the CPU time to others.
// - A CPU quota throttled the run for at least kDisturbing of the time.
// - In at least kDisturbing of the samples of a GPU, another process computed on it, or heat, a
//   power brake or a fault slowed it down. A power cap is normal operation and no disturbance.
std::vector<std::string> disturbances(const Contention& seen);

// Returns the reasons and their consequence as one sentence; "" if there are none.
std::string disturbance_text(const std::vector<std::string>& reasons);

}  // namespace tacho
