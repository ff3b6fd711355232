#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "machine/comm/shm_segment.h"

namespace tacho {

// Lets the ranks of one host find each other at an abstract Unix socket. Its name disappears with
// the process that holds it, so an earlier job cannot block it.
struct ShmRendezvous {
  std::string name;
  int rank = 0;
  int size = 1;
  std::uint64_t bytes = 0;  // per rank in the segment
  std::chrono::milliseconds timeout{};

  // Called by rank 0: sends the segment to every other rank.
  [[nodiscard]] Result<void> serve(const ShmSegment& segment) const;

  // The open connection tells rank 0 that this process is alive: keep it until all have joined.
  struct Joined {
    std::unique_ptr<ShmSegment> segment;
    UniqueFd connection;
  };
  // Called by the other ranks: waits for rank 0 and receives the segment.
  [[nodiscard]] Result<Joined> join(std::size_t segment_bytes) const;
};

}  // namespace tacho
