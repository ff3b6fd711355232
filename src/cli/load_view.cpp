#include "cli/load_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/table.h"
#include "base/units.h"

namespace tacho {
namespace {

// Rates have three significant figures; the fourth is noise.
std::string rate_words(double per_s) {
  return per_s >= 100 ? human_count(std::round(per_s)) : fmt::format("{:.3g}", per_s);
}

std::string count_words(std::int64_t count) { return human_count(static_cast<double>(count)); }

std::string failure_words(const LoadMeasured& measured) {
  std::string words;
  const auto add = [&words](std::int64_t count, const char* how) {
    if (count == 0) return;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count_words(count), how);
  };
  add(measured.refused, "refused (503)");
  add(measured.rejected, "rejected (4xx)");
  add(measured.server_errors, "server errors (5xx)");
  add(measured.timeouts, "timed out");
  add(measured.broken, "without an answer");
  return words;
}

std::string answered_words(const LoadMeasured& measured) {
  std::string words = fmt::format("{} requests/s", rate_words(measured.requests_per_s));
  if (measured.offered_per_s > 0)
    words += fmt::format(" of {} offered", rate_words(measured.offered_per_s));
  words +=
      fmt::format("; {} of {} requests", count_words(measured.ok), count_words(measured.requests));
  if (measured.cached > 0) {
    words += fmt::format(", {} from the cache", human_share(static_cast<double>(measured.cached) /
                                                            static_cast<double>(measured.ok)));
  }
  return words;
}

const char* verdict_words(load::Verdict verdict) {
  switch (verdict) {
    case load::Verdict::kept:
      return "met";
    case load::Verdict::broken:
      return "not met";
    case load::Verdict::unclear:
      break;
  }
  return "unclear";
}

}  // namespace

std::string load_lines(const LoadMeasured& m, const Terminal& terminal) {
  std::string out;
  const auto line = [&](const char* name, const std::string& text) {
    out += terminal.dim(fmt::format("{:<9}", name)) + " " + text + "\n";
  };
  line("load", printable(m.load));
  line("measured", fmt::format("{}{}", human(Seconds(m.seconds)),
                               m.warmup_seconds > 0 ? fmt::format(", after {} of warm-up",
                                                                  human(Seconds(m.warmup_seconds)))
                                                    : ""));
  line("answered", answered_words(m));
  if (m.ok > 0) {
    line("latency", fmt::format("p50 {}, p90 {}, p99 {}, p99.9 {}, max {}", human(Seconds(m.p50_s)),
                                human(Seconds(m.p90_s)), human(Seconds(m.p99_s)),
                                human(Seconds(m.p999_s)), human(Seconds(m.longest_s))));
  }
  if (m.ok > 0 && m.offered_per_s > 0) {
    line("service", fmt::format("p50 {}, p99 {}, from the time a request was sent",
                                human(Seconds(m.service_p50_s)), human(Seconds(m.service_p99_s))));
  }
  if (m.failed() > 0) line("failed", failure_words(m));
  if (const auto dollars = m.usd_per_million()) {
    line("price",
         fmt::format("${:.3g} per million requests{}{} at ${:.4g} per hour", *dollars,
                     m.machine.empty() ? "" : ", ", printable(m.machine), *m.usd_per_hour));
  }
  if (!m.remark.empty()) line("note", printable(m.remark));
  return out;
}

std::string search_table(const load::Search& search, const Terminal& terminal) {
  Table table({{"requests/s"},
               {"answered"},
               {"p50"},
               {"p99"},
               {"late"},
               {"tests"},
               {"objective", Align::left}});
  std::vector<const load::Trial*> trials;
  for (const load::Trial& trial : search.trials) trials.push_back(&trial);
  std::ranges::stable_sort(trials, {}, [](const load::Trial* trial) { return trial->rate; });
  for (const load::Trial* trial : trials) {
    table.add({rate_words(trial->rate), rate_words(trial->measured.requests_per_s),
               human(Seconds(trial->measured.latency.quantile(0.5))),
               human(Seconds(trial->measured.latency.quantile(0.99))),
               human_share(trial->judgement.late_share), std::to_string(trial->tests),
               verdict_words(trial->judgement.verdict)});
  }
  return table.text(terminal);
}

std::string search_sentence(const load::Search& search, const load::Slo& slo) {
  if (!search.best) {
    if (search.unclear && search.fails_from) {
      return fmt::format("unclear whether {} is met at {} requests/s; try a longer --duration",
                         slo.words, rate_words(*search.fails_from));
    }
    if (!search.fails_from) return fmt::format("{} is not met at any rate", slo.words);
    return fmt::format("{} is not met even at {} requests/s", slo.words,
                       rate_words(*search.fails_from));
  }
  std::string words = fmt::format("{} is met up to {} requests/s", slo.words,
                                  rate_words(search.trials[*search.best].rate));
  if (!search.fails_from) return words + ", and no higher rate was tried";
  const std::string rate = rate_words(*search.fails_from);
  return words + (search.unclear ? "; unclear at " + rate : ", not at " + rate);
}

std::string course_table(const load::Measured& measured, const Terminal& terminal) {
  constexpr std::size_t kRows = 12;
  Table table({{"until"}, {"requests/s"}, {"p50"}, {"p99"}, {"failed"}});
  const std::size_t rows = std::min(kRows, measured.windows.size());
  std::size_t at = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    load::LatencyHistogram latency;
    load::Tally tally;
    const std::size_t from = at;
    for (; at < (row + 1) * measured.windows.size() / rows; ++at) {
      latency.merge(measured.windows[at].latency);
      tally += measured.windows[at].tally;
    }
    const Seconds length = static_cast<double>(at - from) * measured.window_length;
    table.add({human(static_cast<double>(at) * measured.window_length),
               rate_words(static_cast<double>(tally.ok) / length.count()),
               human(Seconds(latency.quantile(0.5))), human(Seconds(latency.quantile(0.99))),
               count_words(static_cast<std::int64_t>(tally.failed()))});
  }
  return table.text(terminal);
}

std::string progress_words(const load::Progress& progress) {
  std::string words =
      fmt::format("{:.1f} of {}  {} requests/s  p50 {}  p99 {}", progress.elapsed.count(),
                  human(progress.planned), rate_words(progress.requests_per_s), human(progress.p50),
                  human(progress.p99));
  if (progress.failed > 0) {
    words += fmt::format("  {} failed", count_words(static_cast<std::int64_t>(progress.failed)));
  }
  return words;
}

void LoadLine::show(const std::string& words) {
  if (!shows_) return;
  fmt::print(stderr, "\r\033[K{}",
             shortened(words, static_cast<std::size_t>(terminal_.columns() - 1)));
  std::fflush(stderr);
  shown_ = true;
}

void LoadLine::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace tacho
