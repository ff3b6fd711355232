#include "machine/comm/shm_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#include "machine/comm/shm_rendezvous.h"
#include "machine/comm/shm_sum.h"

namespace tacho {
namespace {

using Kind = ShmCall::Kind;
using Piece = ShmSlots::Piece;

// Up to this size every rank sums everything: one wait instead of two.
constexpr std::size_t kAtOnceBytes = 32 << 10;
constexpr std::size_t kSlotUnit = 8192;  // two buffers of one page
constexpr std::size_t kCacheLine = 64;

void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);  // an empty span may have no address
}

Result<void> check_options(const ShmGroup::Options& options) {
  if (options.size < 1 || options.rank < 0 || options.rank >= options.size) {
    return Error{ErrorCode::usage,
                 fmt::format("rank {} is out of range for {} ranks", options.rank, options.size)};
  }
  if (options.slot_bytes < kSlotUnit || options.slot_bytes % kSlotUnit != 0) {
    return Error{ErrorCode::usage, fmt::format("a slot of {} bytes is not a multiple of {} bytes",
                                               options.slot_bytes, kSlotUnit)};
  }
  return {};
}

}  // namespace

std::size_t ShmGroup::segment_bytes(const Options& options) {
  return ShmSlots::segment_bytes(static_cast<std::size_t>(options.size), options.slot_bytes);
}

Result<std::unique_ptr<ShmGroup>> ShmGroup::join(const Options& options) {
  TACHO_CHECK(check_options(options));
  const ShmRendezvous meeting{options.name, options.rank, options.size, options.slot_bytes,
                              options.timeout};
  if (options.rank != 0) {
    TACHO_TRY(joined, meeting.join(segment_bytes(options)));
    return join(options, std::move(joined.segment));
  }
  TACHO_TRY(segment, ShmSegment::make(segment_bytes(options)));
  std::unique_ptr<ShmGroup> group(new ShmGroup(options, std::move(segment)));
  TACHO_CHECK(group->store_error(meeting.serve(*group->segment_)));
  TACHO_CHECK(group->store_error(group->slots_.meet({})));
  return group;
}

Result<std::unique_ptr<ShmGroup>> ShmGroup::join(const Options& options,
                                                 std::shared_ptr<ShmSegment> segment) {
  TACHO_CHECK(check_options(options));
  if (segment->size() != segment_bytes(options)) {
    return Error{ErrorCode::usage, fmt::format("the segment has {} bytes, but {} are needed",
                                               segment->size(), segment_bytes(options))};
  }
  std::unique_ptr<ShmGroup> group(new ShmGroup(options, std::move(segment)));
  TACHO_CHECK(group->store_error(group->slots_.meet({})));
  return group;
}

ShmGroup::ShmGroup(const Options& options, std::shared_ptr<ShmSegment> segment)
    : options_(options),
      segment_(std::move(segment)),
      ranks_(static_cast<std::size_t>(options.size)),
      rank_(static_cast<std::size_t>(options.rank)),
      slots_(segment_->data(), ranks_, options.slot_bytes,
             {.rank = options.rank, .timeout = options.timeout}) {}

Result<std::span<float>> ShmGroup::allocate(std::size_t count) {
  if (error_) return *error_;
  const ShmCall call{Kind::allocate, -1, count * sizeof(float)};
  TACHO_CHECK(store_error(slots_.meet(call)));
  TACHO_CHECK(store_error(add_region(call)));
  return std::span(reinterpret_cast<float*>(regions_.back().of(rank_)), count);
}

// Shares the region like the slots, under a name derived from the group's.
Result<void> ShmGroup::add_region(const ShmCall& call) {
  const std::size_t rank_bytes = (call.bytes / kSlotUnit + 1) * kSlotUnit;
  const ShmRendezvous meeting{fmt::format("{}.{}", options_.name, regions_.size()), options_.rank,
                              options_.size, rank_bytes, options_.timeout};
  if (rank_ != 0) {
    TACHO_TRY(joined, meeting.join(rank_bytes * ranks_));
    regions_.push_back({std::move(joined.segment), rank_bytes});
    return slots_.meet(call);
  }
  TACHO_TRY(segment, ShmSegment::make(rank_bytes * ranks_));
  TACHO_CHECK(meeting.serve(*segment));
  regions_.push_back({std::move(segment), rank_bytes});
  return slots_.meet(call);
}

Result<void> ShmGroup::all_reduce(std::span<float> values) {
  return sum({Kind::all_reduce, -1, values.size_bytes()}, values);
}

Result<void> ShmGroup::reduce(std::span<float> values, int root) {
  TACHO_CHECK(check_root(root));
  return sum({Kind::reduce, root, values.size_bytes()}, values);
}

Result<void> ShmGroup::sum(ShmCall call, std::span<float> values) {
  if (error_) return *error_;
  if (ranks_ == 1) return {};
  if (call.bytes <= std::min(kAtOnceBytes, slots_.buffer_bytes())) {
    return store_error(slots_.sum_at_once(call, values));
  }
  const Place place = place_of(values);
  call.place = place.number;
  return store_error(place.region == nullptr ? slots_.sum_in_shares(call, values)
                                             : sum_in_place(call, place));
}

ShmGroup::Place ShmGroup::place_of(std::span<const float> values) const {
  const auto bytes = std::as_bytes(values);
  const std::less_equal<> not_after;  // defined for pointers into different arrays, unlike <=
  std::uint64_t number = 1;
  for (const Region& region : regions_) {
    const std::byte* mine = region.of(rank_);
    if (not_after(mine, bytes.data()) &&
        not_after(bytes.data() + bytes.size(), mine + region.rank_bytes)) {
      const auto at = static_cast<std::size_t>(bytes.data() - mine);
      return {&region, at, number + at};
    }
    number += region.rank_bytes;
  }
  return {};
}

// Each rank sums a share of the values and writes the result to every rank that needs it, so values
// are read once and written once.
Result<void> ShmGroup::sum_in_place(const ShmCall& call, const Place& place) {
  TACHO_CHECK(slots_.meet(call));
  std::array<float, 2048> block;  // fits in the L1 cache
  std::vector<const float*> inputs(ranks_);
  const std::size_t lines = (call.bytes + kCacheLine - 1) / kCacheLine;
  const std::size_t begin = lines * rank_ / ranks_ * kCacheLine;
  const std::size_t end = std::min(lines * (rank_ + 1) / ranks_ * kCacheLine, call.bytes);
  for (std::size_t at = begin; at < end; at += sizeof block) {
    const std::size_t bytes = std::min(sizeof block, end - at);
    const auto of_rank = [&](std::size_t rank) { return place.region->of(rank) + place.at + at; };
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      inputs[rank] = reinterpret_cast<const float*>(of_rank(rank));
    }
    sum_in_order(inputs, bytes / sizeof(float), block.data());
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      if (call.gives_sum_to(rank)) std::memcpy(of_rank(rank), block.data(), bytes);
    }
  }
  return slots_.steps().await(slots_.steps().take(), call);
}

Result<void> ShmGroup::broadcast(std::span<std::byte> bytes, int root) {
  TACHO_CHECK(check_root(root));
  if (error_) return *error_;
  const auto from = static_cast<std::size_t>(root);
  const auto fill = [&](const Piece& piece) {
    if (rank_ == from) copy_bytes(slots_.buffer(from, piece), bytes.data() + piece.at, piece.bytes);
  };
  const auto drain = [&](const Piece& piece) {
    if (rank_ != from) copy_bytes(bytes.data() + piece.at, slots_.buffer(from, piece), piece.bytes);
  };
  return store_error(slots_.exchange({Kind::broadcast, root, bytes.size()}, fill, drain));
}

Result<void> ShmGroup::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  if (all.size() != mine.size() * ranks_) {
    return Error{ErrorCode::usage,
                 fmt::format("an all-gather of {} bytes from each of {} ranks does not fit a "
                             "buffer of {} bytes",
                             mine.size(), ranks_, all.size())};
  }
  if (error_) return *error_;
  const auto fill = [&](const Piece& piece) {
    copy_bytes(slots_.buffer(rank_, piece), mine.data() + piece.at, piece.bytes);
  };
  const auto drain = [&](const Piece& piece) {
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      std::byte* to = all.data() + rank * mine.size() + piece.at;
      copy_bytes(to, slots_.buffer(rank, piece), piece.bytes);
    }
  };
  return store_error(slots_.exchange({Kind::all_gather, -1, mine.size()}, fill, drain));
}

Result<void> ShmGroup::barrier() {
  if (error_) return *error_;
  return store_error(slots_.meet({Kind::barrier, -1, 0}));
}

Result<void> ShmGroup::check_root(int root) const {
  if (root >= 0 && root < options_.size) return {};
  return Error{ErrorCode::usage,
               fmt::format("rank {} is out of range for {} ranks", root, options_.size)};
}

// After an error this rank leaves the group, which reports the error to the others immediately.
Result<void> ShmGroup::store_error(Result<void> result) {
  if (!result.ok()) {
    error_ = result.error();
    slots_.steps().leave(error_->message);
  }
  return result;
}

}  // namespace tacho
