#include "serving/http/metrics.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacho::http {

void RequestMetrics::add(std::string_view method, std::string_view route, int status,
                         double seconds) {
  const Key key(method, route);
  const auto* bound = std::ranges::lower_bound(kBounds, seconds);
  const std::lock_guard lock(mutex_);
  ++requests_[{key, status}];
  Times& times = times_[key];
  ++times.counts.at(static_cast<std::size_t>(bound - kBounds.begin()));
  times.sum += seconds;
}

std::string RequestMetrics::text(std::string_view prefix) const {
  const std::lock_guard lock(mutex_);
  std::string out = fmt::format(
      "# HELP {0}_requests_total Answered requests.\n"
      "# TYPE {0}_requests_total counter\n",
      prefix);
  const auto labels = [](const Key& key) {
    return fmt::format("method=\"{}\",route=\"{}\"", label_text(key.first), label_text(key.second));
  };
  for (const auto& [what, count] : requests_) {
    out += fmt::format("{}_requests_total{{{},status=\"{}\"}} {}\n", prefix, labels(what.first),
                       what.second, count);
  }
  out += fmt::format(
      "# HELP {0}_request_seconds Time from the complete request to its answer.\n"
      "# TYPE {0}_request_seconds histogram\n",
      prefix);
  for (const auto& [key, times] : times_) {
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i < times.counts.size(); ++i) {
      so_far += times.counts.at(i);
      const std::string bound = i < kBounds.size() ? fmt::format("{}", kBounds.at(i)) : "+Inf";
      out += fmt::format("{}_request_seconds_bucket{{{},le=\"{}\"}} {}\n", prefix, labels(key),
                         bound, so_far);
    }
    out += fmt::format("{0}_request_seconds_sum{{{1}}} {2}\n{0}_request_seconds_count{{{1}}} {3}\n",
                       prefix, labels(key), times.sum, so_far);
  }
  return out;
}

std::string label_text(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace tacho::http
