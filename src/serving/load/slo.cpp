#include "serving/load/slo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parse_number.h"
#include "base/quantity.h"
#include "core/record/distribution.h"

namespace tacho::load {
namespace {

constexpr std::size_t kGroups = 12;
constexpr double kLevel = 0.975;  // on each side
constexpr double kNormal = 1.96;

// Reads "99" as 0.99, "99.9" and "999" as 0.999.
Result<double> share_in(std::string_view digits, const Error& wrong) {
  const auto number = parse_number<double>(digits);
  if (!number) return wrong;
  double value = *number;
  if (digits.find('.') == std::string_view::npos && digits.size() > 2) {
    value /= std::pow(10.0, static_cast<double>(digits.size()) - 2);
  }
  if (!(value >= 50 && value < 100)) return wrong;
  return value / 100;
}

}  // namespace

Result<Slo> parse_slo(std::string_view text) {
  const Error wrong{
      ErrorCode::usage,
      fmt::format("'{}' is not a valid objective; write it like p99=50ms, p50 or higher", text)};
  const auto equals = text.find('=');
  if (!text.starts_with('p') || equals == std::string_view::npos) return wrong;
  TACHO_TRY(share, share_in(text.substr(1, equals - 1), wrong));
  TACHO_TRY(limit, parse_duration(text.substr(equals + 1)));
  if (limit.count() <= 0) return wrong;
  return Slo{share, std::chrono::duration_cast<Nanoseconds>(limit), std::string(text)};
}

Judge::Share Judge::share_of(const Window& window) const {
  LatencyHistogram latency;
  latency.merge(window.latency);
  // Timeouts are in the histogram, too.
  const std::uint64_t slow_or_timed_out =
      std::max(latency.count_above(slo_.limit), window.tally.timeouts);
  const std::uint64_t late = slow_or_timed_out + window.tally.failed() - window.tally.timeouts;
  return {static_cast<double>(late), static_cast<double>(window.tally.requests())};
}

void Judge::add(const Measured& measured) {
  for (std::size_t i = measured.steady.first; i < measured.windows.size(); ++i) {
    shares_.push_back(share_of(measured.windows[i]));
  }
  const Share after = share_of(measured.after);
  if (shares_.empty()) {
    shares_.push_back(after);
  } else {
    shares_.back().late += after.late;
    shares_.back().requests += after.requests;
  }
  fell_behind_ = fell_behind_ || measured.falls_behind();
}

Judgement Judge::judge() const {
  Judgement judgement;
  std::vector<Share> groups(std::min(kGroups, std::max<std::size_t>(1, shares_.size())));
  Share all;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    Share& group = groups[i * groups.size() / shares_.size()];
    group.late += shares_[i].late;
    group.requests += shares_[i].requests;
    all.late += shares_[i].late;
    all.requests += shares_[i].requests;
  }
  judgement.requests = static_cast<std::uint64_t>(all.requests);
  if (all.requests < 1) return judgement;
  const double p = judgement.late_share = all.late / all.requests;
  // Wilson's interval covers the random variation of independent requests; it is also valid if no
  // request, or every one, was late.
  const double n = all.requests;
  const double z2 = kNormal * kNormal;
  const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kNormal * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
  double off = 0;
  for (const Share& group : groups) {
    off += (group.late - p * group.requests) * (group.late - p * group.requests);
  }
  const auto count = static_cast<double>(groups.size());
  const double spread = groups.size() < 2 ? 1
                                          : student_quantile(kLevel, static_cast<int>(count) - 1) *
                                                std::sqrt(off * count / (count - 1)) / n;
  judgement.low = std::max(0.0, std::min(middle - half, p - spread));
  judgement.high = std::min(1.0, std::max(middle + half, p + spread));
  const double allowed = 1 - slo_.share;
  if (judgement.low > allowed || fell_behind_) {
    judgement.verdict = Verdict::broken;
  } else if (judgement.high <= allowed) {
    judgement.verdict = Verdict::kept;
  }
  return judgement;
}

}  // namespace tacho::load
