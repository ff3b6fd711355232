#pragma once

#include <optional>
#include <vector>

#include "base/result.h"

namespace tacho::load {

// The request rate over the course of a test: consecutive pieces, in each of which the rate changes
// linearly.
class RateProfile {
 public:
  static RateProfile constant(double per_s, double seconds) { return ramp(per_s, per_s, seconds); }
  static RateProfile ramp(double from_per_s, double to_per_s, double seconds);

  // Appends a piece at the end.
  void add(double from_per_s, double to_per_s, double seconds);

  [[nodiscard]] double seconds() const { return seconds_; }
  // Number of requests in the whole test.
  [[nodiscard]] double requests() const { return requests_; }
  [[nodiscard]] double rate_at(double second) const;
  [[nodiscard]] bool is_constant() const {
    return pieces_.size() == 1 && pieces_[0].from == pieces_[0].to;
  }
  // The time at which `requests` have been due; nothing if there are fewer.
  [[nodiscard]] std::optional<double> second_of(double requests) const;

 private:
  struct Piece {
    double begins = 0;
    double seconds = 0;
    double from = 0;
    double to = 0;
    double before = 0;  // requests due before the piece
  };
  std::vector<Piece> pieces_;
  double seconds_ = 0;
  double requests_ = 0;
};

}  // namespace tacho::load
