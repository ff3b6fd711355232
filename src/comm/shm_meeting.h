#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "comm/shm_segment.h"

namespace tacho {

// Where the ranks of one host find each other: at a socket whose name lives in the kernel, not in a
// folder. It is gone with the process that holds it, so no earlier job can be in the way.
struct ShmMeeting {
  std::string name;
  int rank = 0;
  int size = 1;
  std::uint64_t bytes = 0;  // of each rank in the segment
  std::chrono::milliseconds timeout{};

  // Rank 0: gives the segment to every other rank.
  [[nodiscard]] Result<void> hand_out(const ShmSegment& segment) const;

  // The line tells rank 0 that this process lives: keep it until all have joined.
  struct Invitation {
    std::unique_ptr<ShmSegment> segment;
    UniqueFd line;
  };
  // The others: waits until rank 0 is there.
  [[nodiscard]] Result<Invitation> attend(std::size_t segment_bytes) const;
};

}  // namespace tacho
