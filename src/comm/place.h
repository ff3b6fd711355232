#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tacho {

// Where this process stands in its job.
struct Place {
  int rank = 0;
  int size = 1;        // of the world
  int local_rank = 0;  // among the ranks of this node
  int local_size = 1;
  int node = 0;
  std::string host = "127.0.0.1";  // where rank 0 listens
  std::uint16_t port = 0;
  std::optional<int> listen_fd;  // rank 0: already bound and listening
};

}  // namespace tacho
