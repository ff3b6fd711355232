#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "serving/load/measure.h"

namespace tacho::load {

// An objective such as "p99=50ms": at least this share of all due requests must be answered
// successfully within the limit. Failed requests count as late.
struct Slo {
  double share = 0.99;
  Nanoseconds limit{};
  std::string words;  // as given by the user
};
// Parses "p99=50ms", "p99.9=1s", "p999=1s".
Result<Slo> parse_slo(std::string_view text);

enum class Verdict { kept, broken, unclear };

// The result for an objective, from the windows of one or more tests at the same rate.
struct Judgement {
  Verdict verdict = Verdict::unclear;
  double late_share = 0;  // share of all requests that were too slow or failed
  double low = 0;         // its 95 % interval
  double high = 1;
  std::uint64_t requests = 0;
};

// The interval is computed from windows instead of requests, because requests at the same time are
// slow together.
class Judge {
 public:
  explicit Judge(const Slo& slo) : slo_(slo) {}
  void add(const Measured& measured);
  [[nodiscard]] Judgement judge() const;

 private:
  struct Share {
    double late = 0;
    double requests = 0;
  };
  Share share_of(const Window& window) const;

  Slo slo_;
  std::vector<Share> shares_;
  bool fell_behind_ = false;
};

}  // namespace tacho::load
