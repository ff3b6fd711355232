#pragma once

#include <chrono>
#include <filesystem>

#include "core/record/disturbance.h"
#include "machine/probe/machine_probe.h"

namespace tacho {

// Measures the use of the machine by other programs since construction, for a command that measures
// in its own process. This process and the children it has waited for are not others.
class ContentionWatch {
 public:
  explicit ContentionWatch(const std::filesystem::path& root = "/");
  [[nodiscard]] Contention look();

 private:
  using Clock = std::chrono::steady_clock;
  MachineProbe machine_;
  Clock::time_point began_ = Clock::now();
  double ours_before_s_;
};

}  // namespace tacho
