#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace tacho {

// Calls `work(i)` for `first` ≤ i < `end` on several threads.
template <class Work>
void in_parallel(std::size_t first, std::size_t end, std::size_t threads, Work work) {
  std::atomic<std::size_t> next{first};
  const auto take = [&] {
    for (std::size_t i = next++; i < end; i = next++) work(i);
  };
  std::vector<std::jthread> others;
  if (end - first > 2) {
    for (std::size_t t = 1; t < threads; ++t) others.emplace_back(take);
  }
  take();
}

}  // namespace tacho
