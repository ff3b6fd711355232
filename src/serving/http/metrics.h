#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace tacho::http {

// Counts requests and their durations by route. Thread-safe.
class RequestMetrics {
 public:
  // `route`: the pattern, so that the number of routes is bounded.
  void add(std::string_view method, std::string_view route, int status, double seconds);
  // The Prometheus text format.
  [[nodiscard]] std::string text(std::string_view prefix) const;

 private:
  static constexpr std::array kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                         0.25,  0.5,    1.0,   2.5,  5.0,   10.0};
  struct Times {
    std::array<std::uint64_t, kBounds.size() + 1> counts = {};  // last: above all bounds
    double sum = 0;
  };
  using Key = std::pair<std::string, std::string>;  // method and route
  mutable std::mutex mutex_;
  std::map<std::pair<Key, int>, std::uint64_t> requests_;
  std::map<Key, Times> times_;
};

// Escapes quotes and line ends for a label value.
std::string label_text(std::string_view value);

}  // namespace tacho::http
