#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace tacho {

// A team of OpenMP threads that sleep during its lifetime.
//
// GNU's OpenMP spins up to 300,000 times before a waiting thread sleeps, but only 1,000 times while
// it manages more threads than there are processors. The setting (GOMP_SPINCOUNT) is read when the
// library is loaded and cannot be changed later, but the number of threads can: this team makes it
// exceed the processors, so that all other threads of the process yield instead of spinning. It
// uses no CPU time.
class IdleTeam {
 public:
  // Returns nullptr if torch does not use GNU's OpenMP or the user configured how threads wait
  // (OMP_WAIT_POLICY, GOMP_SPINCOUNT).
  static std::unique_ptr<IdleTeam> start();
  IdleTeam(const IdleTeam&) = delete;
  IdleTeam& operator=(const IdleTeam&) = delete;
  ~IdleTeam();

 private:
  using Parallel = void (*)(void (*function)(void*), void* data, unsigned threads, unsigned flags);
  IdleTeam(Parallel parallel, unsigned threads);
  void sleep();

  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned asleep_ = 0;
  bool over_ = false;
  std::jthread leader_;
};

}  // namespace tacho
