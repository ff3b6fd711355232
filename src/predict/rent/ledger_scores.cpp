#include "predict/rent/ledger_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/table.h"
#include "core/record/metric.h"
#include "core/record/statistics.h"

namespace tacho {
namespace {

const char* const kAllOfThem = "all";

bool is_share(const std::string& metric) {
  const auto found = find_metric(metric);
  return found.ok() && (*found)->unit == Unit::share;
}

struct LedgerTally {
  LedgerScore score;
  std::vector<double> errors;
  std::vector<double> signed_errors;
  double held = 0;

  void add(const LedgerEntry& one) {
    score.made += 1;
    if (!one.outcome.empty() && one.outcome != "ok") score.failed += 1;
    if (!one.measured) return;
    const double difference = one.predicted.value - *one.measured;
    if (!is_share(one.metric) && *one.measured == 0) return;
    const double off = is_share(one.metric) ? difference : difference / *one.measured;
    score.measured += 1;
    errors.push_back(std::abs(off));
    signed_errors.push_back(off);
    held += *one.measured >= one.predicted.low && *one.measured <= one.predicted.high ? 1 : 0;
  }

  [[nodiscard]] LedgerScore finished() const {
    LedgerScore done = score;
    if (errors.empty()) return done;
    done.median_error = median(errors);
    done.mean_error = mean(errors);
    done.bias = median(signed_errors);
    done.coverage = held / static_cast<double>(errors.size());
    return done;
  }
};

std::string points_or_percent(const LedgerScore& score, double value, bool with_sign) {
  if (score.measured == 0) return "-";
  const char* unit = is_share(score.metric) ? "pt" : "%";
  return with_sign ? fmt::format("{:+.1f} {}", 100 * value, unit)
                   : fmt::format("{:.1f} {}", 100 * value, unit);
}

}  // namespace

std::vector<LedgerScore> ledger_scores(std::span<const LedgerEntry> predictions) {
  std::map<std::tuple<std::string, std::string, std::string>, LedgerTally> tallies;
  const auto add = [&](const LedgerEntry& one, const std::string& model,
                       const std::string& machine) {
    LedgerTally& tally = tallies[{one.metric, model, machine}];
    tally.score.metric = one.metric;
    tally.score.model = model;
    tally.score.machine = machine;
    tally.add(one);
  };
  for (const LedgerEntry& one : predictions) {
    add(one, one.model, one.machine);
    add(one, kAllOfThem, kAllOfThem);
  }
  std::vector<LedgerScore> scores;
  for (const auto& [key, tally] : tallies) scores.push_back(tally.finished());
  return scores;
}

Json to_json(const std::vector<LedgerScore>& scores) {
  Json list = Json::array();
  for (const LedgerScore& score : scores) {
    Json one = {{"metric", score.metric}, {"model", score.model},       {"machine", score.machine},
                {"made", score.made},     {"measured", score.measured}, {"failed", score.failed}};
    if (score.measured > 0) {
      one["errors_are"] = is_share(score.metric) ? "absolute" : "relative";
      one["median_error"] = score.median_error;
      one["mean_error"] = score.mean_error;
      one["bias"] = score.bias;
      one["coverage"] = score.coverage;
    }
    list.push_back(std::move(one));
  }
  return list;
}

std::string ledger_text(const std::vector<LedgerScore>& scores, const Terminal& terminal) {
  // Machines have long names, so each has a separate table; the last one is over all machines.
  std::vector<std::string> machines;
  for (const LedgerScore& score : scores) {
    if (std::ranges::find(machines, score.machine) == machines.end()) {
      machines.push_back(score.machine);
    }
  }
  std::stable_partition(machines.begin(), machines.end(),
                        [](const auto& name) { return name != kAllOfThem; });
  std::string text;
  for (const std::string& machine : machines) {
    const std::string name = machine == kAllOfThem ? "all machines" : printable(machine);
    text += (text.empty() ? "" : "\n") + terminal.bold(name) + "\n";
    Table table({{"metric", Align::left},
                 {"model", Align::left},
                 {"made"},
                 {"measured"},
                 {"median error"},
                 {"bias"},
                 {"90 % coverage"}});
    for (const LedgerScore& score : scores) {
      if (score.machine != machine) continue;
      table.add({score.metric, printable(score.model), std::to_string(score.made),
                 std::to_string(score.measured),
                 points_or_percent(score, score.median_error, false),
                 points_or_percent(score, score.bias, true),
                 score.measured == 0 ? "-" : fmt::format("{:.0f} %", 100 * score.coverage)});
    }
    text += table.text(terminal);
  }
  return text;
}

}  // namespace tacho
