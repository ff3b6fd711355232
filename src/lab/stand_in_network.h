#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "base/subprocess.h"

namespace tacho {

// Network namespaces that stand for machines where there is only one. Each has an address of its
// own and one line of a known rate, to a switch that joins all.
//
// They have no names: the system removes them once this process and what it started in them are
// gone, however that ended.
class StandInNetwork {
 public:
  // ErrorCode::unavailable: this is not root, iproute2 is missing, or the system has no such lines.
  static Result<StandInNetwork> make(int machines, double line_mbit);

  // What runs a command on a machine; the program that is started becomes the command's.
  [[nodiscard]] Command on(int machine, Command command) const;

  // The same in every network.
  static std::string address(int machine);

 private:
  explicit StandInNetwork(UniqueFd hub) : hub_(std::move(hub)) {}
  Result<void> add_machine(double line_mbit);

  UniqueFd hub_;  // the switch's namespace
  std::vector<UniqueFd> machines_;
};

}  // namespace tacho
