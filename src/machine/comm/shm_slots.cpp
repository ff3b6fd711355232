#include "machine/comm/shm_slots.h"

#include <cstring>

#include "machine/comm/shm_sum.h"

namespace tacho {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kLineBytes = 64;  // cache line

std::size_t rounded_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::size_t states_bytes(std::size_t ranks) {
  return rounded_up(ranks * sizeof(ShmRankState), kPage);
}

}  // namespace

std::size_t ShmSlots::segment_bytes(std::size_t ranks, std::size_t slot_bytes) {
  return states_bytes(ranks) + ranks * slot_bytes;
}

ShmSlots::ShmSlots(std::byte* memory, std::size_t ranks, std::size_t slot_bytes,
                   const ShmSteps::Options& options)
    : ranks_(ranks),
      rank_(static_cast<std::size_t>(options.rank)),
      buffer_bytes_(slot_bytes / 2),
      buffers_(memory + states_bytes(ranks)),
      steps_({reinterpret_cast<ShmRankState*>(memory), ranks}, options),
      inputs_(ranks) {}

ShmSlots::Cut ShmSlots::cut(std::size_t bytes) const {
  Cut cut{.bytes = bytes};
  cut.pieces = std::max<std::size_t>(1, (bytes + buffer_bytes_ - 1) / buffer_bytes_);
  cut.piece_bytes = rounded_up((bytes + cut.pieces - 1) / cut.pieces, kLineBytes);
  // Aligned to cache lines, so that no two ranks write to the same line.
  cut.share_bytes = rounded_up((cut.piece_bytes + ranks_ - 1) / ranks_, kLineBytes);
  return cut;
}

ShmSlots::Piece ShmSlots::piece(const Cut& cut, std::size_t index) const {
  const std::size_t at = std::min(index * cut.piece_bytes, cut.bytes);
  return {at, std::min(cut.piece_bytes, cut.bytes - at), (rounds_ + index) % 2};
}

ShmSlots::Share ShmSlots::share(const Cut& cut, const Piece& piece, std::size_t rank) {
  return {std::min(rank * cut.share_bytes, piece.bytes),
          std::min((rank + 1) * cut.share_bytes, piece.bytes)};
}

Result<void> ShmSlots::meet(const ShmCall& call) {
  const std::size_t parity = rounds_++ % 2;
  return steps_.open(call, parity);
}

Result<void> ShmSlots::sum_at_once(const ShmCall& call, std::span<float> values) {
  const auto fill = [&](const Piece& piece) {
    if (piece.bytes > 0) std::memcpy(buffer(rank_, piece), values.data(), piece.bytes);
  };
  const auto drain = [&](const Piece& piece) {
    if (!call.gives_sum_to(rank_)) return;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      inputs_[rank] = reinterpret_cast<const float*>(buffer(rank, piece));
    }
    sum_in_order(inputs_, values.size(), values.data());
  };
  return exchange(call, fill, drain);
}

// A piece is copied in before the step of the previous piece, so one wait per piece is enough:
// after the wait for the sums of a piece, the next piece is already in the buffers. Its buffer is
// free, because the others have summed the piece two before. They may still collect this rank's
// share of that piece, which is at the same offset in every piece and is never copied in.
Result<void> ShmSlots::sum_in_shares(const ShmCall& call, std::span<float> values) {
  const Cut whole = cut(call.bytes);
  copy_in(values, whole, piece(whole, 0));
  TACHO_CHECK(steps_.open(call, piece(whole, 0).parity));
  for (std::size_t index = 0; index < whole.pieces; ++index) {
    const Piece now = piece(whole, index);
    if (index + 1 < whole.pieces) copy_in(values, whole, piece(whole, index + 1));
    sum_own_share(values, whole, now);
    TACHO_CHECK(steps_.await(steps_.take(), call));
    if (call.gives_sum_to(rank_)) collect(values, whole, now);
  }
  rounds_ += whole.pieces;
  return {};
}

// Copies all but this rank's share, whose part of the buffer receives the sum.
void ShmSlots::copy_in(std::span<const float> values, const Cut& cut, const Piece& piece) const {
  const auto [begin, end] = share(cut, piece, rank_);
  const std::byte* from = std::as_bytes(values).data() + piece.at;
  std::byte* to = buffer(rank_, piece);
  std::memcpy(to, from, begin);
  std::memcpy(to + end, from + end, piece.bytes - end);
}

void ShmSlots::sum_own_share(std::span<const float> values, const Cut& cut, const Piece& piece) {
  const auto [begin, end] = share(cut, piece, rank_);
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    inputs_[rank] = reinterpret_cast<const float*>(buffer(rank, piece) + begin);
  }
  inputs_[rank_] = values.data() + (piece.at + begin) / sizeof(float);
  sum_in_order(inputs_, (end - begin) / sizeof(float),
               reinterpret_cast<float*>(buffer(rank_, piece) + begin));
}

void ShmSlots::collect(std::span<float> values, const Cut& cut, const Piece& piece) const {
  std::byte* to = std::as_writable_bytes(values).data() + piece.at;
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const auto [begin, end] = share(cut, piece, rank);
    std::memcpy(to + begin, buffer(rank, piece) + begin, end - begin);
  }
}

}  // namespace tacho
