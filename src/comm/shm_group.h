#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "comm/shm_segment.h"
#include "comm/shm_slots.h"

namespace tacho {

// Collectives between processes of one host, through a segment of shared memory. Every rank makes
// the same calls with the same sizes in the same order. Each call waits for the others: one that is
// killed, has given up, comes late or with something else is an Error that names it, at every rank.
// After an Error the group is of no more use, and every call repeats it. One thread at a time.
class ShmGroup {
 public:
  struct Options {
    std::string name;  // the same for all; no other job of this host has it at the same time
    int rank = 0;
    int size = 1;
    std::chrono::milliseconds timeout{15000};  // of each wait for another rank
    // Shared memory of one rank. Small, so that what one rank writes is still in a cache when
    // another reads it.
    std::size_t slot_bytes = std::size_t{256} << 10;
  };
  // Waits until all are there.
  static Result<std::unique_ptr<ShmGroup>> join(const Options& options);
  // For ranks that are threads of one process, over one segment of segment_bytes().
  static Result<std::unique_ptr<ShmGroup>> join(const Options& options,
                                                std::shared_ptr<ShmSegment> segment);
  static std::size_t segment_bytes(const Options& options);

  // Memory of this rank that the others reach as well, zero at first, there as long as the group.
  // The sum of values in it is made where they are, with no copies through slots: several times as
  // fast. Every rank allocates as much and passes the same part of it.
  Result<std::span<float>> allocate(std::size_t count);

  // The sum in place, added up in the order of ranks: the same bits on every rank, every time.
  Result<void> all_reduce(std::span<float> values);
  // The sum at `root` alone; elsewhere the values stay as they are.
  Result<void> reduce(std::span<float> values, int root);
  Result<void> broadcast(std::span<std::byte> bytes, int root);
  // `all` gets what every rank has, in the order of ranks.
  Result<void> all_gather(std::span<const std::byte> mine, std::span<std::byte> all);
  Result<void> barrier();

  [[nodiscard]] int rank() const { return options_.rank; }
  [[nodiscard]] int size() const { return options_.size; }

 private:
  // What allocate() made: as many bytes for each rank, one after the other.
  struct Region {
    std::unique_ptr<ShmSegment> segment;
    std::size_t rank_bytes = 0;
    [[nodiscard]] std::byte* of(std::size_t rank) const {
      return segment->data() + rank * rank_bytes;
    }
  };
  struct Place {
    const Region* region = nullptr;  // none: the values are in memory of the rank's own
    std::size_t at = 0;              // in a rank's part of it
    std::uint64_t number = 0;        // what tells places apart in a ShmCall
  };

  ShmGroup(const Options& options, std::shared_ptr<ShmSegment> segment);

  Result<void> add_region(const ShmCall& call);
  [[nodiscard]] Place place_of(std::span<const float> values) const;
  Result<void> sum(ShmCall call, std::span<float> values);
  Result<void> sum_in_place(const ShmCall& call, const Place& place);
  [[nodiscard]] Result<void> check_root(int root) const;
  Result<void> keep(Result<void> result);

  Options options_;
  std::shared_ptr<ShmSegment> segment_;  // of this group, or of all threads that are its ranks
  std::size_t ranks_;
  std::size_t rank_;
  ShmSlots slots_;
  std::vector<Region> regions_;
  std::optional<Error> broken_;
};

}  // namespace tacho
