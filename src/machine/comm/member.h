#pragma once

#include <cstdint>
#include <string>

namespace tacho {

// One process of the job, as known to all others.
struct Member {
  int rank = 0;
  int node = 0;
  std::string host;
  // Equal if and only if two ranks can share memory: same node, same machine, same PID namespace.
  std::string machine;
  // Numeric address at which the other ranks reach this one.
  std::string address;
  std::int64_t pid = 0;
  bool operator==(const Member&) const = default;
};

std::string describe(const Member& member);  // "rank 2 (host b, pid 41)"

}  // namespace tacho
