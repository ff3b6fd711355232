#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/launcher.h"
#include "launch/local_machine.h"

namespace tacho {

// What one task occupies.
struct Seat {
  std::vector<std::size_t> cores;
  double share = 1;  // of each of them
  std::int64_t memory_bytes = 0;
  std::vector<std::size_t> gpus;
};

// Who sits where on a machine: no more is given away than there is.
class LocalSeats {
 public:
  explicit LocalSeats(LocalMachine machine);

  // Nothing while others occupy what it needs.
  std::optional<Seat> take(const Resources& needs);
  void leave(const Seat& seat);
  // Whether it would have a seat if nobody else were there; the error says what it lacks.
  [[nodiscard]] Result<void> could_take(const Resources& needs) const;

  [[nodiscard]] std::vector<int> cpus_of(const Seat& seat) const;
  // As CUDA_VISIBLE_DEVICES has it; "" without any.
  [[nodiscard]] std::string gpus_of(const Seat& seat) const;

 private:
  [[nodiscard]] std::vector<std::size_t> free_cores(std::size_t count, double share) const;

  LocalMachine machine_;
  std::vector<double> used_;  // of each core
  std::int64_t memory_left_;
  std::vector<bool> gpu_taken_;
};

}  // namespace tacho
