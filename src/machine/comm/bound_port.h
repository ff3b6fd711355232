#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace tacho {

// A free TCP port for rank 0, bound before any rank starts, so that no other program can take it.
struct BoundPort {
  UniqueFd socket;
  std::uint16_t number = 0;
};

enum class Reach { this_machine, every_machine };
// listen: rank 0 inherits the descriptor. reserve: it cannot, but may still listen at the port with
// SO_REUSEADDR.
enum class PortUse { listen, reserve };
Result<BoundPort> bind_port(Reach reach, PortUse use);

// Returns the address by which other machines reach this one: that of the default route, or the
// name of this machine if there is no such route.
std::string own_address();

}  // namespace tacho
