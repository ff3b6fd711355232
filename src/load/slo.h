#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "load/measure.h"

namespace tacho::load {

// "p99=50ms": of all requests that are due, at least this share must be answered well within the
// limit. One that fails is one that was not.
struct Slo {
  double share = 0.99;
  Nanoseconds limit{};
  std::string words;  // as it was asked for
};
// "p99=50ms", "p99.9=1s", "p999=1s".
Result<Slo> parse_slo(std::string_view text);

enum class Verdict { kept, broken, unclear };

// What windows of one test, or of several at the same rate, say about an SLO.
struct Judgement {
  Verdict verdict = Verdict::unclear;
  double late_share = 0;  // of all requests: too slow or failed
  double low = 0;         // 95 % interval of it
  double high = 1;
  std::uint64_t requests = 0;
};

// Windows, and not requests, are what the interval is made of: requests of the same moment are
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
