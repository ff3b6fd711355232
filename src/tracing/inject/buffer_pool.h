#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace tacho {

// The buffers for CUPTI's records. CUPTI takes an empty one and puts it into a queue when filled;
// the writer reads and zeroes it, and it is empty again. There are at most kMostBuffers, so a slow
// writer costs records, which CUPTI counts, instead of the program's memory.
class BufferPool {
 public:
  static constexpr std::size_t kBufferSize = std::size_t{2} << 20;
  static constexpr std::size_t kMostBuffers = 128;

  struct Filled {
    std::uint8_t* bytes = nullptr;
    std::size_t valid_size = 0;
  };

  BufferPool() = default;
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // Returns a buffer of kBufferSize zeros, aligned to at least 8 bytes; null if all are in use.
  std::uint8_t* take_empty();
  // Number of buffers that CUPTI has or that wait for the writer.
  std::size_t in_use() const;
  void put_filled(Filled buffer);
  // Returns the oldest filled buffer; waits for one until `until`.
  template <class TimePoint>
  std::optional<Filled> take_filled(TimePoint until) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, until, [&] { return !filled_.empty() || stopped_; });
    if (filled_.empty()) return std::nullopt;
    const Filled buffer = filled_.front();
    filled_.pop_front();
    return buffer;
  }
  void put_empty(Filled buffer);
  // Makes take_filled() return at once from now on.
  void stop_waiting();

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint8_t*> all_;
  std::vector<std::uint8_t*> empty_;
  std::deque<Filled> filled_;
  bool stopped_ = false;
};

}  // namespace tacho
