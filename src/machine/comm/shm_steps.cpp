#include "machine/comm/shm_steps.h"

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

// A sleeping rank checks at this interval that the others are alive.
constexpr std::chrono::milliseconds kSlice{50};

constexpr int kPauses = 100;  // a few microseconds

// Counts wrap around after 2^32 steps; the counts of two ranks never differ by half of that.
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
      return "group setup";
    case ShmCall::Kind::all_reduce:
      return fmt::format("all-reduce of {} bytes{}", call.bytes, place);
    case ShmCall::Kind::reduce:
      return fmt::format("reduce of {} bytes{} to rank {}", call.bytes, place, call.root);
    case ShmCall::Kind::broadcast:
      return fmt::format("broadcast of {} bytes from rank {}", call.bytes, call.root);
    case ShmCall::Kind::all_gather:
      return fmt::format("all-gather of {} bytes per rank", call.bytes);
    case ShmCall::Kind::barrier:
      return "barrier";
    case ShmCall::Kind::allocate:
      return fmt::format("allocation of {} bytes", call.bytes);
  }
  return fmt::format("unknown call {}", static_cast<std::uint32_t>(call.kind));
}

ShmSteps::ShmSteps(std::span<ShmRankState> states, const Options& options)
    : states_(states),
      rank_(static_cast<std::size_t>(options.rank)),
      options_(options),
      crowded_(static_cast<std::size_t>(cores()) < states.size()) {
  states_[rank_].process = ProcessIdentity::of_self();
  states_[rank_].present.store(1, std::memory_order_release);
}

ShmSteps::~ShmSteps() { leave(""); }

bool ShmSteps::has_taken(std::size_t rank, std::uint32_t steps) const {
  return reaches(states_[rank].steps.load(std::memory_order_acquire), steps);
}

std::uint32_t ShmSteps::take() {
  ShmRankState& mine = states_[rank_];
  // Both seq_cst: otherwise a rank could fall asleep between the two and never be woken.
  mine.steps.store(++taken_, std::memory_order_seq_cst);
  if (mine.sleepers.load(std::memory_order_seq_cst) != 0) wake_all(mine.steps);
  return taken_;
}

Result<void> ShmSteps::await(std::uint32_t steps, const ShmCall& call) {
  if (reaches(all_took_, steps)) return {};
  for (std::size_t rank = 0; rank < states_.size(); ++rank) {
    if (rank == rank_ || has_taken(rank, steps) || spin(rank, steps)) continue;
    TACHO_CHECK(sleep(rank, steps, call));
  }
  all_took_ = steps;
  return {};
}

Result<void> ShmSteps::open(const ShmCall& call, std::size_t parity) {
  states_[rank_].calls[parity] = call;
  TACHO_CHECK(await(take(), call));
  for (std::size_t rank = 0; rank < states_.size(); ++rank) {
    const ShmCall& theirs = states_[rank].calls[parity];
    if (theirs == call) continue;
    return Error{ErrorCode::failed,
                 fmt::format("rank {} called {}, but rank {} called {}: every rank must make the "
                             "same calls with the same sizes",
                             rank, describe(theirs), rank_, describe(call))};
  }
  return {};
}

void ShmSteps::leave(std::string_view why) {
  ShmRankState& mine = states_[rank_];
  if (mine.left.load(std::memory_order_relaxed) != 0) return;
  const std::size_t length = std::min(why.size(), mine.reason.size() - 1);
  std::copy_n(why.begin(), length, mine.reason.begin());
  mine.reason[length] = '\0';
  mine.left.store(1, std::memory_order_release);
  wake_all(mine.steps);
}

// A rank on another core answers within a microsecond. A rank that waits for this core does not, so
// this yields the core after a moment.
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
  ShmRankState& state = states_[rank];
  while (!has_taken(rank, steps)) {
    state.sleepers.fetch_add(1, std::memory_order_seq_cst);
    const std::uint32_t seen = state.steps.load(std::memory_order_seq_cst);
    const bool slept = !reaches(seen, steps) && state.left.load(std::memory_order_acquire) == 0;
    if (slept) sleep_on(state.steps, seen);
    state.sleepers.fetch_sub(1, std::memory_order_seq_cst);

    const auto now = Clock::now();
    if (slept && now < look) continue;
    look = now + kSlice;
    TACHO_CHECK(check_late_ranks(steps));
    if (now - began < options_.timeout || has_taken(rank, steps)) continue;
    return Error{ErrorCode::failed, fmt::format("{} did not reach the {} within {}", name_of(rank),
                                                describe(call), human(Seconds(now - began)))};
  }
  return {};
}

// Any late rank may be the cause, not only the one that this rank waits for.
Result<void> ShmSteps::check_late_ranks(std::uint32_t steps) const {
  const ShmRankState* leaver = nullptr;
  for (std::size_t rank = 0; rank < states_.size(); ++rank) {
    const ShmRankState& state = states_[rank];
    if (rank == rank_ || state.present.load(std::memory_order_acquire) == 0) continue;
    const bool left = state.left.load(std::memory_order_acquire) != 0;
    const bool gone = !left && state.process.is_gone();
    if ((!left && !gone) || has_taken(rank, steps)) continue;  // its last step may be enough
    if (gone && state.left.load(std::memory_order_acquire) == 0) {
      return Error{ErrorCode::failed, name_of(rank) + " died"};
    }
    if (leaver == nullptr) leaver = &state;
  }
  if (leaver == nullptr) return {};
  const std::string reason(leaver->reason.data());
  if (!reason.empty()) return Error{ErrorCode::failed, reason};
  return Error{ErrorCode::failed,
               name_of(static_cast<std::size_t>(leaver - states_.data())) + " has left the group"};
}

std::string ShmSteps::name_of(std::size_t rank) const {
  const ShmRankState& state = states_[rank];
  if (state.present.load(std::memory_order_acquire) == 0) return fmt::format("rank {}", rank);
  return fmt::format("rank {} (pid {})", rank, state.process.pid);
}

}  // namespace tacho
