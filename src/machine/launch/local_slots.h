#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/launch/launcher.h"
#include "machine/launch/local_machine.h"

namespace tacho {

// The resources that one task occupies.
struct Slot {
  std::vector<std::size_t> cores;
  double share = 1;  // of each core
  std::int64_t memory_bytes = 0;
  std::vector<std::size_t> gpus;
};

// Assigns the resources of a machine to tasks, never more than it has.
class LocalSlots {
 public:
  explicit LocalSlots(LocalMachine machine);

  // Returns nothing while other tasks occupy what it needs.
  std::optional<Slot> take(const Resources& needs);
  void release(const Slot& slot);
  // Checks that it would get a slot on an idle machine; the error says what is missing.
  [[nodiscard]] Result<void> could_ever_fit(const Resources& needs) const;

  [[nodiscard]] std::vector<int> cpus_of(const Slot& slot) const;
  // Returns the value of CUDA_VISIBLE_DEVICES; "" without GPUs.
  [[nodiscard]] std::string gpus_of(const Slot& slot) const;

 private:
  [[nodiscard]] std::vector<std::size_t> free_cores(std::size_t count, double share) const;

  LocalMachine machine_;
  std::vector<double> used_;  // share in use, by core
  std::int64_t memory_left_;
  std::vector<bool> gpu_taken_;
};

}  // namespace tacho
