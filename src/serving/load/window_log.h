#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "serving/load/latency_histogram.h"

namespace tacho::load {

// Outcomes of requests; the first six are exclusive.
struct Tally {
  std::uint64_t ok = 0;             // 2xx and 3xx
  std::uint64_t refused = 0;        // 503: the server is at capacity
  std::uint64_t rejected = 0;       // other 4xx: the request was invalid
  std::uint64_t server_errors = 0;  // other 5xx
  std::uint64_t timeouts = 0;       // no answer within the timeout after it was due
  std::uint64_t broken = 0;         // no connection, a connection that ended, or not HTTP
  std::uint64_t cached = 0;         // of the ok ones: answered from a cache
  std::uint64_t queued = 0;         // of all: waited because all connections were in use
  std::uint64_t unanswered = 0;     // in addition: without an answer when the test was stopped
  bool operator==(const Tally&) const = default;

  Tally& operator+=(const Tally& other);
  [[nodiscard]] std::uint64_t failed() const {
    return refused + rejected + server_errors + timeouts + broken;
  }
  [[nodiscard]] std::uint64_t requests() const { return ok + failed(); }
};

// The requests that ended in one window of a test. A request that timed out is in `latency` with
// the time it had waited: an answer would have taken longer.
struct Window {
  Tally tally;
  std::vector<LatencyHistogram::Cell> latency;  // from the time a request was due
  std::vector<LatencyHistogram::Cell> service;  // from the time it was sent

  void merge(const Window& other);
};

// The windows of a test, in order, filled by all its threads. There are never more than 256: at the
// limit, neighbours are merged in pairs.
class WindowLog {
 public:
  static constexpr Nanoseconds kShortest = std::chrono::milliseconds(250);
  static constexpr std::size_t kMaxWindows = 256;

  // `number` counts windows of kShortest.
  void add(std::size_t number, const Window& window);
  // Adds the requests that ended after the last one was due.
  void add_after(const Window& window);
  void note_first_failure(const std::string& words);

  struct Copy {
    std::vector<Window> windows;
    Nanoseconds length = kShortest;  // of each
    Window after;
    std::string first_failure;  // "" if none failed
  };
  [[nodiscard]] Copy copy() const;

 private:
  mutable std::mutex mutex_;
  Copy log_;
};

}  // namespace tacho::load
