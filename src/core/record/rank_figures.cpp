#include "core/record/rank_figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/record/statistics.h"

namespace tacho {
namespace {

constexpr double kLeastWait = 0.01;  // share of the step

// Returns the steps reported by every rank; without warm-up, if there are others.
std::vector<std::size_t> reported_steps(const RunRecord& record) {
  std::vector<bool> warmup(record.steps.seconds.size());
  for (const std::int64_t step : record.steps.warmup) {
    if (step >= 0 && static_cast<std::size_t>(step) < warmup.size()) {
      warmup[static_cast<std::size_t>(step)] = true;
    }
  }
  std::vector<std::size_t> all;
  std::vector<std::size_t> steady;
  for (std::size_t step = 0; step < warmup.size(); ++step) {
    const bool reported = std::all_of(
        record.rank_steps.begin(), record.rank_steps.end(), [step](const RankSteps& rank) {
          return std::isfinite(rank.seconds[step]) && std::isfinite(rank.input_seconds[step]) &&
                 std::isfinite(rank.backward_seconds[step]) &&
                 std::isfinite(rank.comm_seconds[step]) &&
                 std::isfinite(rank.exposed_seconds[step]);
        });
    if (!reported) continue;
    all.push_back(step);
    if (!warmup[step]) steady.push_back(step);
  }
  return steady.empty() ? all : steady;
}

template <class Value>
std::vector<double> at_steps(const std::vector<Value>& values,
                             const std::vector<std::size_t>& steps) {
  std::vector<double> chosen;
  chosen.reserve(steps.size());
  for (const std::size_t step : steps) chosen.push_back(static_cast<double>(values[step]));
  return chosen;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

struct Slowest {
  std::size_t at = 0;  // in rank_steps
  double wait = 0;     // mean time that the others wait for it
};

Slowest slowest_in(const std::vector<RankSteps>& ranks, std::size_t step) {
  Slowest slowest;
  double total = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    total += ranks[i].exposed_seconds[step];
    if (ranks[i].exposed_seconds[step] < ranks[slowest.at].exposed_seconds[step]) slowest.at = i;
  }
  const auto others = static_cast<double>(ranks.size() - 1);
  const double least = ranks[slowest.at].exposed_seconds[step];
  slowest.wait = (total - least) / others - least;
  return slowest;
}

std::string host_of(const RunRecord& record, std::int64_t rank) {
  if (record.ranks) {
    for (const RankInfo& info : record.ranks->ranks) {
      if (info.rank == rank) return info.host;
    }
  }
  return "";
}

}  // namespace

std::optional<CommFigures> comm_figures_of(const RunRecord& record) {
  const auto steps = reported_steps(record);
  if (record.rank_steps.size() < 2 || steps.empty()) return std::nullopt;
  const RankSteps& first = record.rank_steps[0];
  const auto comm = at_steps(first.comm_seconds, steps);
  const auto wire = at_steps(first.wire_bytes, steps);
  if (!(sum(comm) > 0)) return std::nullopt;

  CommFigures figures;
  figures.seconds = median(comm);
  // The two times are measured separately: waiting may slightly exceed the exchange.
  figures.hidden_share =
      std::clamp(1 - sum(at_steps(first.exposed_seconds, steps)) / sum(comm), 0.0, 1.0);
  figures.wire_bytes = mean(wire);
  figures.payload_bytes = mean(at_steps(first.payload_bytes, steps));
  figures.bytes_per_second = sum(wire) / sum(comm);
  std::vector<double> waits;
  waits.reserve(steps.size());
  for (const std::size_t step : steps) waits.push_back(slowest_in(record.rank_steps, step).wait);
  figures.slowest_wait_seconds = median(waits);
  return figures;
}

std::vector<RankFigures> rank_figures_of(const RunRecord& record) {
  const auto steps = reported_steps(record);
  std::vector<RankFigures> all;
  if (steps.empty()) return all;
  for (const RankSteps& rank : record.rank_steps) {
    all.push_back({.rank = rank.rank,
                   .step_seconds = median(at_steps(rank.seconds, steps)),
                   .input_seconds = median(at_steps(rank.input_seconds, steps)),
                   .backward_seconds = median(at_steps(rank.backward_seconds, steps)),
                   .comm_seconds = median(at_steps(rank.comm_seconds, steps)),
                   .exposed_seconds = median(at_steps(rank.exposed_seconds, steps)),
                   .wire_bytes = mean(at_steps(rank.wire_bytes, steps))});
  }
  return all;
}

std::optional<Straggler> straggler_of(const RunRecord& record) {
  const auto steps = reported_steps(record);
  const auto& ranks = record.rank_steps;
  if (ranks.size() < 2 || steps.empty()) return std::nullopt;
  std::vector<std::vector<double>> waits(ranks.size());  // by rank, in steps where it was slowest
  for (const std::size_t step : steps) {
    const Slowest slowest = slowest_in(ranks, step);
    waits[slowest.at].push_back(slowest.wait);
  }
  const auto most = std::max_element(
      waits.begin(), waits.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const std::int64_t rank = ranks[static_cast<std::size_t>(most - waits.begin())].rank;
  const Straggler found{rank, host_of(record, rank), median(*most),
                        static_cast<double>(most->size()) / static_cast<double>(steps.size())};

  // Half-way between an equal share and all steps.
  const double often = (1 + 1 / static_cast<double>(ranks.size())) / 2;
  const double step_seconds = median(at_steps(ranks[0].seconds, steps));
  const bool delays = found.share_of_steps > often && found.seconds > kLeastWait * step_seconds;
  return delays ? std::optional(found) : std::nullopt;
}

}  // namespace tacho
