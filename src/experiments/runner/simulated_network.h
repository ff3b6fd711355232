#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/subprocess.h"

namespace tacho {

// Simulates several machines on one by network namespaces. Each has its own address and one link of
// a given rate to a common switch.
//
// The namespaces have no names, so the kernel removes them when this process and all processes in
// them have ended.
class SimulatedNetwork {
 public:
  // Returns ErrorCode::unavailable without root, without iproute2, or without kernel support.
  static Result<SimulatedNetwork> make(int machines, double line_mbit);

  // Wraps a command so that it runs on a machine. The wrapper is replaced by the program (exec).
  [[nodiscard]] Command on(int machine, Command command) const;

  // Returns the address of a machine, equal in every network.
  static std::string address(int machine);

 private:
  explicit SimulatedNetwork(UniqueFd bridge) : bridge_(std::move(bridge)) {}
  Result<void> add_machine(double line_mbit);

  UniqueFd bridge_;  // namespace of the switch
  std::vector<UniqueFd> machines_;
};

}  // namespace tacho
