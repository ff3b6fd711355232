#include "serving/load/load_record.h"

#include <fmt/format.h>

namespace tacho::load {
namespace {

double seconds(Nanoseconds time) { return Seconds(time).count(); }

std::int64_t count(std::uint64_t number) { return static_cast<std::int64_t>(number); }

void add_remark(std::string& remark, const std::string& sentence) {
  remark += (remark.empty() ? "" : "; ") + sentence;
}

std::string remark_of(const Measured& measured) {
  std::string remark;
  const Tally& tally = measured.tally;
  if (measured.falls_behind()) {
    add_remark(remark, fmt::format("the server falls behind: {:.4g} requests/s were due",
                                   measured.offered_per_s));
  } else if (!measured.steady.steady) {
    add_remark(remark, "not steady: " + measured.steady.why_not);
  }
  if (tally.queued > tally.requests() / 100) {
    add_remark(remark, fmt::format("{} requests waited because all connections were in use; repeat "
                                   "with more --connections to see if the server is the limit",
                                   tally.queued));
  }
  if (tally.unanswered > 0) {
    add_remark(remark, fmt::format("{} requests had no answer when the test was stopped",
                                   tally.unanswered));
  }
  if (tally.failed() > 0) {
    add_remark(remark, fmt::format("first failure: {}", measured.first_failure));
  }
  return remark;
}

}  // namespace

LoadMeasured summary_of(const Measured& measured) {
  const Tally& tally = measured.tally;
  return {.seconds = measured.seconds.count(),
          .warmup_seconds = measured.warmup.count(),
          .steady = measured.steady.steady && !measured.falls_behind(),
          .remark = remark_of(measured),
          .requests_per_s = measured.requests_per_s,
          .offered_per_s = measured.offered_per_s,
          .requests = count(tally.requests()),
          .ok = count(tally.ok),
          .refused = count(tally.refused),
          .rejected = count(tally.rejected),
          .server_errors = count(tally.server_errors),
          .timeouts = count(tally.timeouts),
          .broken = count(tally.broken),
          .cached = count(tally.cached),
          .p50_s = seconds(measured.latency.quantile(0.5)),
          .p90_s = seconds(measured.latency.quantile(0.9)),
          .p99_s = seconds(measured.latency.quantile(0.99)),
          .p999_s = seconds(measured.latency.quantile(0.999)),
          .longest_s = seconds(measured.latency.longest()),
          .service_p50_s = seconds(measured.service.quantile(0.5)),
          .service_p99_s = seconds(measured.service.quantile(0.99))};
}

std::vector<FiguresSeen> series_of(const Measured& measured) {
  std::vector<FiguresSeen> series;
  LatencyHistogram latency;
  const double length = measured.window_length.count();
  for (std::size_t i = 0; i < measured.windows.size(); ++i) {
    const Window& window = measured.windows[i];
    latency.clear();
    latency.merge(window.latency);
    const auto ends = static_cast<double>(i + 1) * length;
    FiguresSeen seen{.from = "load", .step = static_cast<std::int64_t>(i) + 1};
    seen.values["second"] = ends;
    seen.values["requests_per_s"] = static_cast<double>(window.tally.ok) / length;
    seen.values["errors"] = static_cast<double>(window.tally.failed());
    if (latency.count() > 0) {
      seen.values["latency_p50_s"] = seconds(latency.quantile(0.5));
      seen.values["latency_p99_s"] = seconds(latency.quantile(0.99));
    }
    series.push_back(std::move(seen));
  }
  return series;
}

std::vector<FiguresSeen> series_of(const Search& search) {
  std::vector<FiguresSeen> series;
  for (std::size_t i = 0; i < search.trials.size(); ++i) {
    const Trial& trial = search.trials[i];
    const LoadMeasured summary = summary_of(trial.measured);
    FiguresSeen seen{.from = "load", .step = static_cast<std::int64_t>(i) + 1};
    seen.values = {{"offered_per_s", trial.rate},
                   {"requests_per_s", summary.requests_per_s},
                   {"latency_p50_s", summary.p50_s},
                   {"latency_p99_s", summary.p99_s},
                   {"late_share", trial.judgement.late_share},
                   {"kept", trial.judgement.verdict == Verdict::kept     ? 1.0
                            : trial.judgement.verdict == Verdict::broken ? 0.0
                                                                         : 0.5},
                   {"errors", static_cast<double>(summary.failed())}};
    series.push_back(std::move(seen));
  }
  return series;
}

}  // namespace tacho::load
