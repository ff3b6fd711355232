#pragma once

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "base/units.h"

namespace tacho::bandwidth {

// Threads that start together and are timed together, each pinned to one CPU. The calling thread is
// thread 0; the destructor restores its affinity.
class Team {
 public:
  using Work = std::function<void(int thread)>;

  // Uses the first `threads` of `cpus`.
  Team(int threads, const std::vector<int>& cpus);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  [[nodiscard]] int threads() const { return threads_; }
  // Returns the time from the first start to the last end, as measured by the threads. They start
  // when all are awake, because waking up may take longer than the work.
  Seconds run(const Work& work);

 private:
  using Clock = std::chrono::steady_clock;
  struct alignas(64) Span {
    Clock::time_point begin;
    Clock::time_point end;
  };

  void serve(int thread, int cpu);
  void take_part(const Work& work, int thread);
  void wait_until_all_are_awake();

  int threads_;
  std::vector<int> original_cpus_;  // affinity of the calling thread
  std::barrier<> start_;
  std::barrier<> finish_;
  std::vector<Span> spans_;
  std::atomic<std::int64_t> awake_ = 0;  // never reset between runs
  const Work* work_ = nullptr;           // null: the threads end
  std::vector<std::jthread> others_;
};

// Returns the CPUs that this process may run on.
std::vector<int> allowed_cpus();

}  // namespace tacho::bandwidth
