#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/comm/shm_segment.h"
#include "machine/comm/shm_slots.h"

namespace tacho {

// Collectives between processes of one host through shared memory. Every rank makes the same calls
// with the same sizes in the same order. Each call waits for the others. If a rank is killed, gives
// up, is late or makes another call, every rank returns an Error that names it. After an Error the
// group is unusable, and every call returns the same Error. Not thread-safe.
class ShmGroup {
 public:
  struct Options {
    std::string name;  // equal on all ranks, unique among the running jobs of the host
    int rank = 0;
    int size = 1;
    std::chrono::milliseconds timeout{15000};  // for each wait
    // Shared memory per rank. Small, so that data written by one rank is still cached when another
    // reads it.
    std::size_t slot_bytes = std::size_t{256} << 10;
  };
  // Waits until all ranks have joined.
  static Result<std::unique_ptr<ShmGroup>> join(const Options& options);
  // Joins ranks that are threads of one process and share one segment of segment_bytes().
  static Result<std::unique_ptr<ShmGroup>> join(const Options& options,
                                                std::shared_ptr<ShmSegment> segment);
  static std::size_t segment_bytes(const Options& options);

  // Allocates zeroed memory that all ranks can access, for the lifetime of the group. Reductions of
  // values in it work in place, without copies through slots, and are several times as fast. Every
  // rank allocates the same size and passes the same part of it.
  Result<std::span<float>> allocate(std::size_t count);

  // Sums in place, in rank order: the result is bitwise equal on every rank and in every run.
  Result<void> all_reduce(std::span<float> values);
  // Writes the sum on `root` only; the values of other ranks do not change.
  Result<void> reduce(std::span<float> values, int root);
  Result<void> broadcast(std::span<std::byte> bytes, int root);
  // Fills `all` with the data of every rank, in rank order.
  Result<void> all_gather(std::span<const std::byte> mine, std::span<std::byte> all);
  Result<void> barrier();

  [[nodiscard]] int rank() const { return options_.rank; }
  [[nodiscard]] int size() const { return options_.size; }

 private:
  // Memory of one allocate(): `rank_bytes` for each rank, in rank order.
  struct Region {
    std::unique_ptr<ShmSegment> segment;
    std::size_t rank_bytes = 0;
    [[nodiscard]] std::byte* of(std::size_t rank) const {
      return segment->data() + rank * rank_bytes;
    }
  };
  struct Place {
    const Region* region = nullptr;  // null: the values are in private memory
    std::size_t at = 0;              // offset in a rank's part of the region
    std::uint64_t number = 0;        // identifies the place in a ShmCall
  };

  ShmGroup(const Options& options, std::shared_ptr<ShmSegment> segment);

  Result<void> add_region(const ShmCall& call);
  [[nodiscard]] Place place_of(std::span<const float> values) const;
  Result<void> sum(ShmCall call, std::span<float> values);
  Result<void> sum_in_place(const ShmCall& call, const Place& place);
  [[nodiscard]] Result<void> check_root(int root) const;
  Result<void> store_error(Result<void> result);

  Options options_;
  std::shared_ptr<ShmSegment> segment_;  // shared by ranks that are threads of one process
  std::size_t ranks_;
  std::size_t rank_;
  ShmSlots slots_;
  std::vector<Region> regions_;
  std::optional<Error> error_;
};

}  // namespace tacho
