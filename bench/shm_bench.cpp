// Collectives through shared memory between 2 and 4 processes: what an all-reduce takes, beside
// what the same number of processes reach when each only copies memory of its own, in the same run.
//
//   shm_bench [RANKS…]
//
// "of limit": an all-reduce must at least read every value of a rank from memory and write its
// sum there, which is one copy of the payload at each rank. The share is the time of that copy,
// made by all ranks at once, over the time of the all-reduce.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "comm/shm_group.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

template <class T>
T must(Result<T> result) {
  if (!result.ok()) broken_invariant(result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

struct Case {
  std::size_t bytes;
  int repeats;
  int calls;  // timed together: after a barrier a rank may find the others a microsecond ahead
};
constexpr std::array kCases{Case{1 << 10, 101, 50}, Case{64 << 10, 101, 20}, Case{1 << 20, 101, 4},
                            Case{10 << 20, 41, 1}, Case{100'000'000, 15, 1}};

double median(std::vector<double>& seconds) {
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

double seconds_since(Clock::time_point start) { return Seconds(Clock::now() - start).count(); }

void fill(std::span<float> values, int rank) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>((i * 7 + static_cast<std::size_t>(rank) * 13) % 1024);
  }
}

// Whole numbers this small add up exactly, in any order.
void verify(std::span<const float> values, int ranks) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t sum = 0;
    for (int rank = 0; rank < ranks; ++rank)
      sum += (i * 7 + static_cast<std::size_t>(rank) * 13) % 1024;
    if (values[i] != static_cast<float>(sum)) {
      broken_invariant(fmt::format("value {} is {}, not {}", i, values[i], sum));
    }
  }
}

struct Times {
  std::vector<double> slots;   // values in memory of the rank's own
  std::vector<double> shared;  // values in memory that allocate() gave
  std::vector<double> copy;
};

void report(int ranks, const Case& one, Times times) {
  const auto bytes = static_cast<double>(one.bytes);
  const double copy = median(times.copy);
  const auto print = [&](const char* where, std::vector<double>& seconds) {
    const double middle = median(seconds);
    const double best = *std::min_element(seconds.begin(), seconds.end());
    fmt::print("{:>5} {:>9} {:<7} {:>10} {:>10} {:>8.2f} {:>10.2f} {:>10.2f} {:>9}\n", ranks,
               human(Bytes{static_cast<std::int64_t>(one.bytes)}), where, human(Seconds(middle)),
               human(Seconds(best)), bytes / middle / 1e9, bytes / best / 1e9, bytes / copy / 1e9,
               human_share(copy / middle));
  };
  print("own", times.slots);
  print("shared", times.shared);
  std::fflush(stdout);
}

double timed_all_reduce(ShmGroup& group, std::span<float> values, int calls) {
  must(group.barrier());
  const auto start = Clock::now();
  for (int i = 0; i < calls; ++i) must(group.all_reduce(values));
  return seconds_since(start) / calls;
}

void measure(ShmGroup& group, const Case& one) {
  const std::size_t count = one.bytes / sizeof(float);
  std::vector<float> own(count);
  std::vector<float> target(count);
  const std::span<float> shared = must(group.allocate(count));
  for (const std::span<float> values : {std::span(own), shared}) {
    fill(values, group.rank());
    must(group.all_reduce(values));
    verify(values, group.size());
    must(group.barrier());  // the others have verified, too
    std::fill(values.begin(), values.end(), 0.0F);
  }
  Times times;
  for (int i = 0; i < one.repeats; ++i) {
    times.slots.push_back(timed_all_reduce(group, own, one.calls));
    times.shared.push_back(timed_all_reduce(group, shared, one.calls));
    must(group.barrier());
    const auto start = Clock::now();
    for (int call = 0; call < one.calls; ++call) {
      std::memcpy(target.data(), own.data(), one.bytes);
    }
    times.copy.push_back(seconds_since(start) / one.calls);
  }
  if (group.rank() == 0) report(group.size(), one, std::move(times));
}

int run_rank(const std::string& name, int rank, int ranks) {
  const auto group = must(ShmGroup::join({.name = name, .rank = rank, .size = ranks}));
  for (const Case& one : kCases) measure(*group, one);
  return 0;
}

bool run_ranks(int ranks) {
  const std::string name = fmt::format("bench-{}-{}", ::getpid(), ranks);
  std::fflush(stdout);
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t child = ::fork();
    if (child < 0) broken_invariant("fork failed");
    if (child == 0) std::exit(run_rank(name, rank, ranks));
  }
  bool well = true;
  int status = 0;
  while (::wait(&status) > 0) well = well && status == 0;
  return well;
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  std::vector<int> sizes{2, 4};
  if (argc > 1) sizes.clear();
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));  // NOLINT: a bench by hand
  fmt::print("{:>5} {:>9} {:<7} {:>10} {:>10} {:>8} {:>10} {:>10} {:>9}\n", "ranks", "payload",
             "values", "median", "best", "GB/s", "best GB/s", "copy GB/s", "of limit");
  bool well = true;
  for (const int ranks : sizes) well = tacho::run_ranks(ranks) && well;
  return well ? 0 : 1;
}
