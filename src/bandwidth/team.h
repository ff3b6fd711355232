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

// Threads that start together and are timed together, each kept to one processor. The calling
// thread is the first of them, and is put back where it was when the team ends.
class Team {
 public:
  using Work = std::function<void(int thread)>;

  // On the first `threads` of `cpus`.
  Team(int threads, const std::vector<int>& cpus);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  [[nodiscard]] int threads() const { return threads_; }
  // From when the first begins to when the last is done, by each thread's own look at the clock.
  // They begin when all are awake: being woken may take longer than the work.
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
  std::vector<int> home_;  // processors the calling thread came from
  std::barrier<> start_;
  std::barrier<> finish_;
  std::vector<Span> spans_;
  std::atomic<std::int64_t> awake_ = 0;  // counts on from run to run
  const Work* work_ = nullptr;           // none: the team ends
  std::vector<std::jthread> others_;
};

// Processors this process may run on.
std::vector<int> allowed_cpus();

}  // namespace tacho::bandwidth
