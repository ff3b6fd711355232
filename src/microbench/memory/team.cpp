#include "microbench/memory/team.h"

#include <sched.h>

#include <algorithm>

namespace tacho::bandwidth {
namespace {

// Best effort: without pinning, times only vary more.
void pin_to(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

Team::Team(int threads, const std::vector<int>& cpus)
    : threads_(threads),
      original_cpus_(allowed_cpus()),
      start_(threads),
      finish_(threads),
      spans_(static_cast<std::size_t>(threads)) {
  const auto cpu_of = [&](int thread) {
    return cpus[static_cast<std::size_t>(thread) % cpus.size()];
  };
  for (int thread = 1; thread < threads_; ++thread) {
    others_.emplace_back([this, thread, cpu = cpu_of(thread)] { serve(thread, cpu); });
  }
  pin_to({cpu_of(0)});
}

Team::~Team() {
  work_ = nullptr;
  start_.arrive_and_wait();
  pin_to(original_cpus_);
}

void Team::serve(int thread, int cpu) {
  pin_to({cpu});
  while (true) {
    start_.arrive_and_wait();
    if (work_ == nullptr) return;
    take_part(*work_, thread);
    finish_.arrive_and_wait();
  }
}

void Team::wait_until_all_are_awake() {
  const std::int64_t mine = awake_.fetch_add(1);
  const std::int64_t all = (mine / threads_ + 1) * threads_;
  // If threads share a CPU, a waiting thread must yield.
  constexpr int kPatience = 2000;
  for (int looked = 0; awake_.load(std::memory_order_acquire) < all; ++looked) {
    if (looked > kPatience) std::this_thread::yield();
  }
}

void Team::take_part(const Work& work, int thread) {
  wait_until_all_are_awake();
  Span& span = spans_[static_cast<std::size_t>(thread)];
  span.begin = Clock::now();
  work(thread);
  span.end = Clock::now();
}

Seconds Team::run(const Work& work) {
  work_ = &work;
  start_.arrive_and_wait();
  take_part(work, 0);
  finish_.arrive_and_wait();
  return std::ranges::max(spans_, {}, &Span::end).end -
         std::ranges::min(spans_, {}, &Span::begin).begin;
}

}  // namespace tacho::bandwidth
