#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace tacho::http {

// How many bytes the bodies of all requests hold together, so that many clients cannot take what
// one may not. All but bytes() belongs to one thread.
class BodyBudget {
 public:
  explicit BodyBudget(std::size_t most) : most_(most) {}

  // False, and nothing is taken, where there is no room.
  bool take(std::size_t bytes) {
    if (bytes > most_ - bytes_) return false;
    bytes_ += bytes;
    peak_ = std::max<std::size_t>(peak_, bytes_);
    return true;
  }
  void give_back(std::size_t bytes) { bytes_ -= bytes; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  // Much was held, and little is now: the allocator keeps what was freed, so the process would stay
  // as large as in its busiest moment.
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
