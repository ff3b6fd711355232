#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "machine/comm/shm_process.h"

namespace tacho {

// A collective call. All ranks must make the same one.
struct ShmCall {
  enum class Kind : std::uint32_t {
    join,
    all_reduce,
    reduce,
    broadcast,
    all_gather,
    barrier,
    allocate
  };
  Kind kind = Kind::join;
  std::int32_t root = 0;
  std::uint64_t bytes = 0;
  std::uint64_t place = 0;  // of the values in shared memory; 0 if they are in private memory
  bool operator==(const ShmCall&) const = default;

  [[nodiscard]] bool gives_sum_to(std::size_t rank) const {
    return kind == Kind::all_reduce || rank == static_cast<std::size_t>(root);
  }
};

std::string describe(const ShmCall& call);  // "all-reduce of 400 bytes"

// The part of a rank's state that the others see, in the shared segment, initially zero.
struct ShmRankState {
  // In one cache line, because the others read them together.
  alignas(128) std::atomic<std::uint32_t> steps;  // the futex word
  std::atomic<std::uint32_t> sleepers;
  std::array<ShmCall, 2> calls;

  alignas(128) ProcessIdentity process;
  std::atomic<std::uint32_t> present;  // `process` is written
  std::atomic<std::uint32_t> left;     // takes no more steps; `reason` is written
  std::array<char, 240> reason;        // for leaving; may be empty
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

// Synchronizes the ranks. Every rank takes the same steps in the same order and counts them; to
// synchronize, it waits until the others have taken as many. A wait returns an Error if a rank has
// exited, has left, or is late.
class ShmSteps {
 public:
  struct Options {
    int rank = 0;
    std::chrono::milliseconds timeout{};
    std::chrono::microseconds spin{50};  // before a wait sleeps
  };
  ShmSteps(std::span<ShmRankState> states, const Options& options);
  ~ShmSteps();
  ShmSteps(const ShmSteps&) = delete;
  ShmSteps& operator=(const ShmSteps&) = delete;

  // Returns the step count. Once the others have waited for it, they see this rank's writes.
  std::uint32_t take();
  Result<void> await(std::uint32_t steps, const ShmCall& call);

  // The first step of every call: announces it, waits for all ranks, and compares. `parity` selects
  // which of the two announcements to overwrite; no rank reads that one any more.
  Result<void> open(const ShmCall& call, std::size_t parity);

  // Takes no more steps and reports the reason to the others. Only the first call counts.
  void leave(std::string_view why);

 private:
  [[nodiscard]] bool has_taken(std::size_t rank, std::uint32_t steps) const;
  bool spin(std::size_t rank, std::uint32_t steps) const;
  Result<void> sleep(std::size_t rank, std::uint32_t steps, const ShmCall& call);
  Result<void> check_late_ranks(std::uint32_t steps) const;
  [[nodiscard]] std::string name_of(std::size_t rank) const;

  std::span<ShmRankState> states_;
  std::size_t rank_;
  Options options_;
  bool crowded_;  // more ranks than cores: a waiting rank yields its core
  std::uint32_t taken_ = 0;
  std::uint32_t all_took_ = 0;  // steps that every rank is known to have taken
};

}  // namespace tacho
