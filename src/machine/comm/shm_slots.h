#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "machine/comm/shm_steps.h"

namespace tacho {

// Passes messages of any size through a segment of a few megabytes. Every rank has a slot of two
// buffers: while the others read one, the rank writes the next piece into the other.
class ShmSlots {
 public:
  // `memory` is page-aligned, has segment_bytes(), and was zeroed before the first rank joined.
  ShmSlots(std::byte* memory, std::size_t ranks, std::size_t slot_bytes,
           const ShmSteps::Options& options);
  static std::size_t segment_bytes(std::size_t ranks, std::size_t slot_bytes);

  // A part of a message that fits a buffer.
  struct Piece {
    std::size_t at = 0;
    std::size_t bytes = 0;
    std::size_t parity = 0;  // of the buffer it goes through
  };
  [[nodiscard]] std::byte* buffer(std::size_t rank, const Piece& piece) const {
    return buffers_ + (2 * rank + piece.parity) * buffer_bytes_;
  }
  [[nodiscard]] std::size_t buffer_bytes() const { return buffer_bytes_; }

  // fill(Piece) writes this rank's data into its buffer; drain(Piece) reads from all buffers.
  template <class Fill, class Drain>
  Result<void> exchange(const ShmCall& call, const Fill& fill, const Drain& drain);
  // Waits until all ranks make the same call, without transferring data.
  Result<void> meet(const ShmCall& call);

  // Every rank sums everything: one wait. For messages that fit in a buffer.
  Result<void> sum_at_once(const ShmCall& call, std::span<float> values);
  // Every rank sums a share.
  Result<void> sum_in_shares(const ShmCall& call, std::span<float> values);

  ShmSteps& steps() { return steps_; }

 private:
  // Pieces have equal sizes; only the last may be smaller.
  struct Cut {
    std::size_t bytes = 0;
    std::size_t pieces = 1;
    std::size_t piece_bytes = 0;
    std::size_t share_bytes = 0;  // of a piece, summed by each rank
  };
  struct Share {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  [[nodiscard]] Cut cut(std::size_t bytes) const;
  [[nodiscard]] Piece piece(const Cut& cut, std::size_t index) const;
  static Share share(const Cut& cut, const Piece& piece, std::size_t rank);

  void copy_in(std::span<const float> values, const Cut& cut, const Piece& piece) const;
  void sum_own_share(std::span<const float> values, const Cut& cut, const Piece& piece);
  void collect(std::span<float> values, const Cut& cut, const Piece& piece) const;

  std::size_t ranks_;
  std::size_t rank_;
  std::size_t buffer_bytes_;
  std::byte* buffers_;
  ShmSteps steps_;
  std::size_t rounds_ = 0;            // buffers used so far
  std::vector<const float*> inputs_;  // of a sum; a member to avoid allocations
};

// A rank that takes the step of a round has read the buffers of the previous round, so the next
// round may overwrite them.
template <class Fill, class Drain>
Result<void> ShmSlots::exchange(const ShmCall& call, const Fill& fill, const Drain& drain) {
  const Cut whole = cut(call.bytes);
  for (std::size_t index = 0; index < whole.pieces; ++index) {
    const Piece now = piece(whole, index);
    fill(now);
    TACHO_CHECK(index == 0 ? steps_.open(call, now.parity) : steps_.await(steps_.take(), call));
    drain(now);
  }
  rounds_ += whole.pieces;
  return {};
}

}  // namespace tacho
