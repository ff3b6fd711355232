#include "serving/load/rate_profile.h"

#include <algorithm>
#include <cmath>

namespace tacho::load {

RateProfile RateProfile::ramp(double from_per_s, double to_per_s, double seconds) {
  RateProfile profile;
  profile.add(from_per_s, to_per_s, seconds);
  return profile;
}

void RateProfile::add(double from_per_s, double to_per_s, double seconds) {
  pieces_.push_back({seconds_, seconds, from_per_s, to_per_s, requests_});
  seconds_ += seconds;
  requests_ += seconds * (from_per_s + to_per_s) / 2;
}

double RateProfile::rate_at(double second) const {
  const auto after = std::ranges::upper_bound(pieces_, second, {}, &Piece::begins);
  if (after == pieces_.begin()) return 0;
  const Piece& piece = *(after - 1);
  if (second > piece.begins + piece.seconds) return 0;
  return piece.from + (piece.to - piece.from) * (second - piece.begins) / piece.seconds;
}

std::optional<double> RateProfile::second_of(double requests) const {
  if (requests < 0 || requests >= requests_) return std::nullopt;
  const auto after = std::ranges::upper_bound(pieces_, requests, {}, &Piece::before);
  const Piece& piece = *(after - 1);
  // Solves from·x + (to − from)/(2·seconds)·x² = due, in the form without cancellation.
  const double due = requests - piece.before;
  const double slope = (piece.to - piece.from) / piece.seconds;
  const double root = std::sqrt(std::max(0.0, piece.from * piece.from + 2 * slope * due));
  const double into = due > 0 ? 2 * due / (piece.from + root) : 0;
  return piece.begins + std::min(into, piece.seconds);
}

}  // namespace tacho::load
