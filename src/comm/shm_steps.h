#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "comm/shm_process.h"

namespace tacho {

// What a rank is about to do. All ranks must come with the same.
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
  std::uint64_t place = 0;  // where in shared memory the values are; 0: in memory of the rank's own
  bool operator==(const ShmCall&) const = default;

  [[nodiscard]] bool gives_sum_to(std::size_t rank) const {
    return kind == Kind::all_reduce || rank == static_cast<std::size_t>(root);
  }
};

std::string describe(const ShmCall& call);  // "all-reduce of 400 bytes"

// What the others see of one rank; lies in the shared segment, zero at first.
struct ShmLine {
  // Together in one cache line, because the others read them together.
  alignas(128) std::atomic<std::uint32_t> steps;  // the word that sleepers sleep on
  std::atomic<std::uint32_t> sleepers;
  std::array<ShmCall, 2> calls;

  alignas(128) ProcessMark process;
  std::atomic<std::uint32_t> present;  // `process` is written
  std::atomic<std::uint32_t> left;     // takes no more steps; `last_words` is written
  std::array<char, 240> last_words;    // why, or empty
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

// How ranks keep pace. Every rank takes the same steps in the same order and counts them; who needs
// the others waits until they have taken as many. A wait ends with an Error when a rank that it
// needs is gone, has left, or does not come in time.
class ShmSteps {
 public:
  struct Options {
    int rank = 0;
    std::chrono::milliseconds timeout{};
    std::chrono::microseconds spin{50};  // before a wait goes to sleep
  };
  ShmSteps(std::span<ShmLine> lines, const Options& options);
  ~ShmSteps();
  ShmSteps(const ShmSteps&) = delete;
  ShmSteps& operator=(const ShmSteps&) = delete;

  // What this rank wrote before, the others see once they have waited for the number returned.
  std::uint32_t take();
  Result<void> await(std::uint32_t steps, const ShmCall& call);

  // Announces the call, waits for all, and compares: the first step of every call. `parity` says
  // which of the two announcements to overwrite; nobody reads it any more.
  Result<void> open(const ShmCall& call, std::size_t parity);

  // No more steps. The others are told why; only the first reason counts.
  void leave(std::string_view why);

 private:
  [[nodiscard]] bool has_taken(std::size_t rank, std::uint32_t steps) const;
  bool spin(std::size_t rank, std::uint32_t steps) const;
  Result<void> sleep(std::size_t rank, std::uint32_t steps, const ShmCall& call);
  Result<void> look_round(std::uint32_t steps) const;
  [[nodiscard]] std::string name_of(std::size_t rank) const;

  std::span<ShmLine> lines_;
  std::size_t rank_;
  Options options_;
  bool crowded_;  // more ranks than cores: who waits gives its core away
  std::uint32_t taken_ = 0;
  std::uint32_t all_took_ = 0;  // what every rank is known to have reached
};

}  // namespace tacho
