#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace tacho::http {

// Limits the bytes that the bodies of all requests hold together. All but bytes() belongs to one
// thread.
class BodyBudget {
 public:
  explicit BodyBudget(std::size_t most) : most_(most) {}

  // Returns false, and takes nothing, if there is no room.
  bool take(std::size_t bytes) {
    if (bytes > most_ - bytes_) return false;
    bytes_ += bytes;
    peak_ = std::max<std::size_t>(peak_, bytes_);
    return true;
  }
  void give_back(std::size_t bytes) { bytes_ -= bytes; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  // True after a burst of large bodies. The allocator keeps freed memory, so without trimming the
  // process would stay as large as at its peak.
  [[nodiscard]] bool burst_is_over() const { return peak_ > kBurst && bytes_ < kCalm; }
  void forget_burst() { peak_ = bytes_; }

 private:
  static constexpr std::size_t kBurst = 8 << 20;
  static constexpr std::size_t kCalm = 1 << 20;

  const std::size_t most_;
  std::atomic<std::size_t> bytes_ = 0;
  std::size_t peak_ = 0;
};

}  // namespace tacho::http
