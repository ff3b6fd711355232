#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace tacho::http {

// What was asked and how long answers took, by route. Any thread may add.
class RequestMetrics {
 public:
  // `route`: the pattern, so that there are as many as the program has.
  void add(std::string_view method, std::string_view route, int status, double seconds);
  // The text that Prometheus reads.
  [[nodiscard]] std::string text(std::string_view prefix) const;

 private:
  static constexpr std::array kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                         0.25,  0.5,    1.0,   2.5,  5.0,   10.0};
  struct Times {
    std::array<std::uint64_t, kBounds.size() + 1> counts = {};  // the last: longer than all
    double sum = 0;
  };
  using Key = std::pair<std::string, std::string>;  // method and route
  mutable std::mutex mutex_;
  std::map<std::pair<Key, int>, std::uint64_t> requests_;
  std::map<Key, Times> times_;
};

// "\"" and line ends as a label's value may hold them.
std::string label_text(std::string_view value);

}  // namespace tacho::http
