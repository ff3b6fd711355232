#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "load/latency_histogram.h"

namespace tacho::load {

// How requests ended: each in exactly one of the first six ways.
struct Tally {
  std::uint64_t ok = 0;             // 2xx and 3xx
  std::uint64_t refused = 0;        // 503: the server is full and says so
  std::uint64_t rejected = 0;       // other 4xx: the request was wrong
  std::uint64_t server_errors = 0;  // other 5xx
  std::uint64_t timeouts = 0;       // no answer within the timeout after it was due
  std::uint64_t broken = 0;         // no connection, or one that ended, or what is not HTTP
  std::uint64_t cached = 0;         // of those that are ok: answered from a cache
  std::uint64_t queued = 0;         // of all: waited because every connection was in use
  std::uint64_t unanswered = 0;     // beside all: when the test was broken off
  bool operator==(const Tally&) const = default;

  Tally& operator+=(const Tally& other);
  [[nodiscard]] std::uint64_t failed() const {
    return refused + rejected + server_errors + timeouts + broken;
  }
  [[nodiscard]] std::uint64_t requests() const { return ok + failed(); }
};

// What ended during one stretch of a test. A request that timed out is in
// `latency` with the time it had waited: an answer would have taken longer.
struct Window {
  Tally tally;
  std::vector<LatencyHistogram::Cell> latency;  // from the moment a request was due
  std::vector<LatencyHistogram::Cell> service;  // from the moment it was sent

  void merge(const Window& other);
};

// The windows of a test, in order, filled by all its threads. There are never more than 256:
// where there would be, two neighbours become one.
class WindowLog {
 public:
  static constexpr Nanoseconds kShortest = std::chrono::milliseconds(250);
  static constexpr std::size_t kMost = 256;

  // `number` counts windows of kShortest.
  void add(std::size_t number, const Window& window);
  // What ended after the last request was due.
  void add_after(const Window& window);
  void say_first_failure(const std::string& words);

  struct Copy {
    std::vector<Window> windows;
    Nanoseconds length = kShortest;  // of each
    Window after;
    std::string first_failure;  // in words; "" where none failed
  };
  [[nodiscard]] Copy copy() const;

 private:
  mutable std::mutex mutex_;
  Copy log_;
};

}  // namespace tacho::load
