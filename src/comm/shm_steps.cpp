#include "comm/shm_steps.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "base/units.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

// How long a sleeper sleeps before it looks whether the others are still alive.
constexpr std::chrono::milliseconds kSlice{50};

constexpr int kPauses = 100;  // some microseconds

// Counts wrap around after 2^32 steps; no two ranks are ever half of that apart.
bool reaches(std::uint32_t taken, std::uint32_t steps) {
  return static_cast<std::int32_t>(taken - steps) >= 0;
}

// Not FUTEX_PRIVATE_FLAG: the sleepers are in other processes.
void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  const timespec slice{0, std::chrono::nanoseconds(kSlice).count()};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, &slice, nullptr, 0);
}

void wake_all(std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

int cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

std::string describe(const ShmCall& call) {
  const std::string place =
      call.place == 0 ? "" : fmt::format(" in shared memory at {}", call.place);
  switch (call.kind) {
    case ShmCall::Kind::join:
      return "joining of the group";
    case ShmCall::Kind::all_reduce:
      return fmt::format("all-reduce of {} bytes{}", call.bytes, place);
    case ShmCall::Kind::reduce:
      return fmt::format("reduce of {} bytes{} to rank {}", call.bytes, place, call.root);
    case ShmCall::Kind::broadcast:
      return fmt::format("broadcast of {} bytes from rank {}", call.bytes, call.root);
    case ShmCall::Kind::all_gather:
      return fmt::format("all-gather of {} bytes a rank", call.bytes);
    case ShmCall::Kind::barrier:
      return "barrier";
    case ShmCall::Kind::allocate:
      return fmt::format("allocation of {} bytes", call.bytes);
  }
  return fmt::format("unknown call {}", static_cast<std::uint32_t>(call.kind));
}

ShmSteps::ShmSteps(std::span<ShmLine> lines, const Options& options)
    : lines_(lines),
      rank_(static_cast<std::size_t>(options.rank)),
      options_(options),
      crowded_(static_cast<std::size_t>(cores()) < lines.size()) {
  lines_[rank_].process = ProcessMark::of_self();
  lines_[rank_].present.store(1, std::memory_order_release);
}

ShmSteps::~ShmSteps() { leave(""); }

bool ShmSteps::has_taken(std::size_t rank, std::uint32_t steps) const {
  return reaches(lines_[rank].steps.load(std::memory_order_acquire), steps);
}

std::uint32_t ShmSteps::take() {
  ShmLine& mine = lines_[rank_];
  // In this order for all, or a rank could go to sleep between the two and never be woken.
  mine.steps.store(++taken_, std::memory_order_seq_cst);
  if (mine.sleepers.load(std::memory_order_seq_cst) != 0) wake_all(mine.steps);
  return taken_;
}

Result<void> ShmSteps::await(std::uint32_t steps, const ShmCall& call) {
  if (reaches(all_took_, steps)) return {};
  for (std::size_t rank = 0; rank < lines_.size(); ++rank) {
    if (rank == rank_ || has_taken(rank, steps) || spin(rank, steps)) continue;
    TACHO_CHECK(sleep(rank, steps, call));
  }
  all_took_ = steps;
  return {};
}

Result<void> ShmSteps::open(const ShmCall& call, std::size_t parity) {
  lines_[rank_].calls[parity] = call;
  TACHO_CHECK(await(take(), call));
  for (std::size_t rank = 0; rank < lines_.size(); ++rank) {
    const ShmCall& theirs = lines_[rank].calls[parity];
    if (theirs == call) continue;
    return Error{
        ErrorCode::failed,
        fmt::format("rank {} is at its {}, but rank {} at its {}: every rank must make the "
                    "same calls with the same sizes",
                    rank, describe(theirs), rank_, describe(call))};
  }
  return {};
}

void ShmSteps::leave(std::string_view why) {
  ShmLine& mine = lines_[rank_];
  if (mine.left.load(std::memory_order_relaxed) != 0) return;
  const std::size_t length = std::min(why.size(), mine.last_words.size() - 1);
  std::copy_n(why.begin(), length, mine.last_words.begin());
  mine.last_words[length] = '\0';
  mine.left.store(1, std::memory_order_release);
  wake_all(mine.steps);
}

// A rank that runs on another core is a microsecond away. One that waits for this core is not, so
// after a moment the core is offered to it.
bool ShmSteps::spin(std::size_t rank, std::uint32_t steps) const {
  for (int i = 0; i < (crowded_ ? 1 : kPauses); ++i) {
    if (has_taken(rank, steps)) return true;
    pause_core();
  }
  const auto until = Clock::now() + options_.spin;
  do {
    if (has_taken(rank, steps)) return true;
    ::sched_yield();
  } while (Clock::now() < until);
  return false;
}

Result<void> ShmSteps::sleep(std::size_t rank, std::uint32_t steps, const ShmCall& call) {
  const auto began = Clock::now();
  auto look = began + kSlice;
  ShmLine& line = lines_[rank];
  while (!has_taken(rank, steps)) {
    line.sleepers.fetch_add(1, std::memory_order_seq_cst);
    const std::uint32_t seen = line.steps.load(std::memory_order_seq_cst);
    const bool slept = !reaches(seen, steps) && line.left.load(std::memory_order_acquire) == 0;
    if (slept) sleep_on(line.steps, seen);
    line.sleepers.fetch_sub(1, std::memory_order_seq_cst);

    const auto now = Clock::now();
    if (slept && now < look) continue;
    look = now + kSlice;
    TACHO_CHECK(look_round(steps));
    if (now - began < options_.timeout || has_taken(rank, steps)) continue;
    return Error{ErrorCode::failed, fmt::format("{} has not come to the {} for {}", name_of(rank),
                                                describe(call), human(Seconds(now - began)))};
  }
  return {};
}

// Any of the ranks that are late may be the cause, not only the one this rank sleeps on.
Result<void> ShmSteps::look_round(std::uint32_t steps) const {
  const ShmLine* leaver = nullptr;
  for (std::size_t rank = 0; rank < lines_.size(); ++rank) {
    const ShmLine& line = lines_[rank];
    if (rank == rank_ || line.present.load(std::memory_order_acquire) == 0) continue;
    const bool left = line.left.load(std::memory_order_acquire) != 0;
    const bool gone = !left && line.process.is_gone();
    if ((!left && !gone) || has_taken(rank, steps)) continue;  // its last step may be enough
    if (gone && line.left.load(std::memory_order_acquire) == 0) {
      return Error{ErrorCode::failed, name_of(rank) + " is gone"};
    }
    if (leaver == nullptr) leaver = &line;
  }
  if (leaver == nullptr) return {};
  const std::string words(leaver->last_words.data());
  if (!words.empty()) return Error{ErrorCode::failed, words};
  return Error{ErrorCode::failed,
               name_of(static_cast<std::size_t>(leaver - lines_.data())) + " has left the group"};
}

std::string ShmSteps::name_of(std::size_t rank) const {
  const ShmLine& line = lines_[rank];
  if (line.present.load(std::memory_order_acquire) == 0) return fmt::format("rank {}", rank);
  return fmt::format("rank {} (pid {})", rank, line.process.pid);
}

}  // namespace tacho
