#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/usage.h"

namespace tacho {

// What else claimed the machine while something was measured. What is not known is absent and
// counts as no disturbance.
struct Contention {
  double seconds = 0;
  std::int64_t processors = 0;     // of the machine; 0: unknown
  std::optional<double> others_s;  // processor time of other programs
  std::optional<double> stolen_s;  // by the hypervisor
  // Of the thread that waited most for a processor, of those that computed much; where threads are
  // not told apart, of all together.
  std::optional<double> ran_s;
  std::optional<double> waited_s;
  std::optional<double> throttled_share;  // of the time, by a CPU quota
  struct Gpu {
    std::int64_t index = 0;
    double shared = 0;  // share of the looks in which other processes computed on it
    double slowed = 0;  // … in which heat or a fault lowered its clocks
  };
  std::vector<Gpu> gpus;
};
Contention contention_of(const UsageLog& usage);

// Below this share of the time a disturbance is among the noise that repeated runs show.
inline constexpr double kDisturbing = 0.05;

// Why figures that were measured then cannot be compared with others, each as a phrase with its
// figures: "other programs took 31 % of the processors". Empty: nothing says so.
//
// - Other programs: a thread lost at least kDisturbing of its time to them, that is the time it
//   waited for a processor or the time they took, whichever is less. Waiting alone is no sign: a
//   run's own threads compete with each other. Where waiting is not known, they took at least
//   kDisturbing of all processors.
// - The hypervisor gave at least kDisturbing of the processors' time to others.
// - A CPU quota held the run back for at least kDisturbing of the time.
// - Another process computed on a GPU, or heat, a power brake or a fault slowed it down, in at
//   least kDisturbing of the looks at it. A power cap is how a GPU works, and no disturbance.
std::vector<std::string> disturbances(const Contention& seen);

// One sentence for a person: the reasons and what follows; "" where there are none.
std::string disturbance_text(const std::vector<std::string>& reasons);

}  // namespace tacho
