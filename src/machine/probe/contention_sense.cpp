#include "machine/probe/contention_sense.h"

#include <algorithm>

namespace tacho {

bool ContentionSense::contended(Seconds now, const RunDelay& total) {
  const RunDelay lately = total - before_.value_or(total);
  before_ = total;
  const double share = lately.waited_share();
  if (!contended_) {
    if (share < kBegins) return false;
    calm_ = now - ended_ < kSoon ? std::min(2 * calm_, kLongestCalm) : kShortestCalm;
    contended_ = true;
    calm_since_ = now;
  } else if (share >= kEnds) {
    calm_since_ = now;
  } else if (now - calm_since_ >= calm_) {
    contended_ = false;
    ended_ = now;
  }
  return contended_;
}

}  // namespace tacho
