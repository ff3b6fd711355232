#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "core/record/statistics.h"
#include "experiments/study/sections.h"

namespace tacho {
namespace {

std::vector<std::size_t> steady_steps(const RunRecord& record) {
  std::vector<std::size_t> steps;
  for (std::size_t step = 0; step < record.steps.seconds.size(); ++step) {
    const auto& warmup = record.steps.warmup;
    const bool warms = std::ranges::find(warmup, static_cast<std::int64_t>(step)) != warmup.end();
    if (!warms) steps.push_back(step);
  }
  return steps;
}

// All ranks leave an exchange together: the time of the last rank to arrive is the exchange itself,
// and the rest is waiting for it.
void add_exchange(const RunRecord& record, std::size_t step, StepParts& sum) {
  double least = HUGE_VAL;
  double total = 0;
  for (const RankSteps& rank : record.rank_steps) {
    least = std::min(least, rank.exposed_seconds[step]);
    total += rank.exposed_seconds[step];
  }
  if (!std::isfinite(total)) return;
  sum.line += least;
  sum.slowest += total / static_cast<double>(record.rank_steps.size()) - least;
}

double mean_of(const std::vector<StepParts>& runs, double StepParts::*part) {
  std::vector<double> values;
  for (const StepParts& run : runs) values.push_back(run.*part);
  return mean(values);
}

StepParts mean_of(const std::vector<StepParts>& runs) {
  StepParts out;
  for (double StepParts::*part : {&StepParts::seconds, &StepParts::input, &StepParts::line,
                                  &StepParts::slowest, &StepParts::samples_per_s}) {
    out.*part = mean_of(runs, part);
  }
  return out;
}

std::string times(double factor) { return fmt::format("{:.2f} ×", factor); }

class Breakdown {
 public:
  Breakdown(const StepParts& one, const StepParts& several, std::optional<double> independent)
      : all_(several.seconds - one.seconds) {
    const double input = several.input - one.input;
    const double work = all_ - input - several.line - several.slowest;
    add("gradient exchange", several.line, "while nothing is left to compute");
    add("waiting for the slowest rank", several.slowest, "ranks that finish early wait for it");
    add("waiting for samples", input, "beyond the wait of one process");
    if (independent) {
      const double shared = *independent - one.seconds;
      add("contention for the machine", shared,
          "how much longer a step is when the same processes exchange nothing");
      add("overhead of the exchange", work - shared,
          "copies, sums and network code use the cores while the step computes");
    } else {
      add("slower computation", work, "contention for the machine and overhead of the exchange");
    }
  }

  [[nodiscard]] const DocumentTable& table() const { return table_; }

 private:
  void add(const char* part, double seconds, const char* what) {
    // Ignores rounding errors of the clock.
    if (std::abs(seconds) < 1e-4 * std::abs(all_)) seconds = 0;
    const std::string sign = seconds < 0 ? "−" : "";
    const double share = std::round(100 * seconds / all_) + 0.0;  // no −0
    table_.rows.push_back({part, sign + human(Seconds(std::abs(seconds))),
                           all_ > 0 ? fmt::format("{:.0f} %", share) : "–", what});
  }

  double all_;
  DocumentTable table_{.headings = {{"part of a step", Align::left},
                                    {"time"},
                                    {"share of the difference"},
                                    {"description", Align::left}},
                       .rows = {}};
};

}  // namespace

std::optional<StepParts> step_parts_of(const RunRecord& record) {
  const auto steps = steady_steps(record);
  if (steps.empty()) return std::nullopt;
  StepParts sum;
  for (const std::size_t step : steps) {
    sum.seconds += record.steps.seconds[step];
    if (step < record.steps.input_seconds.size()) sum.input += record.steps.input_seconds[step];
    if (!record.rank_steps.empty()) add_exchange(record, step, sum);
  }
  const auto count = static_cast<double>(steps.size());
  for (double StepParts::*part :
       {&StepParts::seconds, &StepParts::input, &StepParts::line, &StepParts::slowest}) {
    sum.*part /= count;
  }
  const DistSpec& dist = record.order.spec.dist;
  const auto batch = static_cast<double>(record.order.spec.batch * dist.ranks());
  sum.samples_per_s = batch / sum.seconds;
  return sum;
}

std::vector<Block> missing_blocks(const std::vector<ScaledVariant>& variants,
                                  std::optional<double> independent_seconds) {
  std::vector<Block> blocks;
  if (variants.empty() || variants.front().runs.empty()) return blocks;
  const StepParts one = mean_of(variants.front().runs);
  const std::int64_t base_ranks = variants.front().ranks;
  for (const ScaledVariant& variant : variants) {
    if (variant.runs.empty() || variant.ranks <= base_ranks) continue;
    const StepParts several = mean_of(variant.runs);
    const double ideal = static_cast<double>(variant.ranks) / static_cast<double>(base_ranks);
    const double reached = several.samples_per_s / one.samples_per_s;
    blocks.emplace_back(Paragraph{fmt::format(
        "{}: {} the samples per second of {}, {:.0f} % of the ideal {}. A step takes {} instead of "
        "{}; the difference of {} consists of:",
        variant.name, times(reached), variants.front().name, 100 * reached / ideal, times(ideal),
        human(Seconds(several.seconds)), human(Seconds(one.seconds)),
        human(Seconds(std::abs(several.seconds - one.seconds))))});
    blocks.emplace_back(Breakdown(one, several, independent_seconds).table());
  }
  blocks.emplace_back(
      Paragraph{"Means over the steady steps of all counted runs, so the parts add up.", true});
  return blocks;
}

}  // namespace tacho
