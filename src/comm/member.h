#pragma once

#include <cstdint>
#include <string>

namespace tacho {

// One process of the job, as every other knows it.
struct Member {
  int rank = 0;
  int node = 0;
  std::string host;
  // Equal exactly where two ranks may share memory: started on one node, on one
  // machine, where they see each other's processes.
  std::string machine;
  // Numeric; where the others reach it.
  std::string address;
  std::int64_t pid = 0;
  bool operator==(const Member&) const = default;
};

std::string describe(const Member& member);  // "rank 2 (host b, pid 41)"

}  // namespace tacho
