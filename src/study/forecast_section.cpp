#include "study/forecast_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "record/statistics.h"

namespace tacho {
namespace {

const std::vector<Table::Heading> kScoreHeadings = {{"figure", Align::left},
                                                    {"foretold"},
                                                    {"refused"},
                                                    {"MAE"},
                                                    {"RMSE"},
                                                    {"MAPE"},
                                                    {"within 90 % interval"},
                                                    {"two runs of one configuration apart"}};

std::string share_text(double share) { return fmt::format("{:.4f}", share); }
std::string seconds_text(double value) { return human(Seconds(value)); }

std::vector<std::string> score_row(std::string figure, const ForecastScore& score,
                                   std::string (*text)(double)) {
  const bool any = score.configurations > 0;
  const auto shown = [&](const std::string& value) { return any ? value : std::string("–"); };
  std::string apart = "–";
  if (score.repeat_mae) {
    apart = fmt::format("{}, {}", text(*score.repeat_mae), human_share(*score.repeat_mape));
  }
  return {std::move(figure),
          std::to_string(score.configurations),
          std::to_string(score.refused),
          shown(text(score.mae)),
          shown(text(score.rmse)),
          shown(human_share(score.mape)),
          shown(human_share(score.coverage)),
          apart};
}

std::optional<Chart> unseen_epoch_chart(std::span<const UnseenForecast> all) {
  ScatterChart chart{.title = "Time of an epoch: each configuration as the others foretold it",
                     .unit = Unit::seconds,
                     .points = {}};
  for (const UnseenForecast& one : all) {
    if (!one.epoch_seconds) continue;
    std::vector<double> values;
    for (const RunRecord* run : one.runs) values.push_back(epoch_seconds(*run));
    const Range& range = *one.epoch_seconds;
    chart.points.push_back({mean(values), range.value, range.low, range.high, one.configuration});
  }
  return chart.points.empty() ? std::nullopt : std::optional<Chart>(std::move(chart));
}

std::optional<Chart> unseen_accuracy_chart(std::span<const UnseenForecast> all) {
  ScatterChart chart{.title =
                         "Accuracy after the last epoch: each configuration as the others "
                         "foretold it",
                     .unit = Unit::share,
                     .logarithmic = false,
                     .points = {}};
  for (const UnseenForecast& one : all) {
    if (!one.top1) continue;
    std::vector<double> values;
    for (const RunRecord* run : one.runs) values.push_back(run->epochs.back().top1);
    chart.points.push_back(
        {mean(values), one.top1->value, one.top1->low, one.top1->high, one.configuration});
  }
  return chart.points.empty() ? std::nullopt : std::optional<Chart>(std::move(chart));
}

std::string time_or(const std::optional<double>& value, std::string_view otherwise) {
  return value ? seconds_text(*value) : std::string(otherwise);
}

const RankedConfiguration* truly_fastest(const std::vector<RankedConfiguration>& ranked) {
  const RankedConfiguration* best = nullptr;
  for (const RankedConfiguration& one : ranked) {
    if (!one.measured_seconds) continue;
    if (best == nullptr || *one.measured_seconds < *best->measured_seconds) best = &one;
  }
  return best;
}

std::string recommendation_words(const std::vector<RankedConfiguration>& ranked, double target) {
  const std::string goal = fmt::format("{} accuracy", human_share(target));
  if (ranked.empty() || !ranked.front().foretold_seconds) {
    return fmt::format("None is foretold to reach {}, so none is recommended.", goal);
  }
  const RankedConfiguration& first = ranked.front();
  std::string out =
      fmt::format("Recommended for {}: {}, foretold to get there in {} of training.", goal,
                  first.unseen->configuration, seconds_text(*first.foretold_seconds));
  const RankedConfiguration* best = truly_fastest(ranked);
  if (const auto regret = regret_of_first(ranked)) {
    out += fmt::format(" It took {}; the fastest of all, {}, took {}: a regret of {}.",
                       seconds_text(*first.measured_seconds), best->unseen->configuration,
                       seconds_text(*best->measured_seconds), human_share(*regret));
  } else {
    out += best == nullptr
               ? " No run reached it."
               : fmt::format(" It did not reach it; the fastest that did was {}, in {}.",
                             best->unseen->configuration, seconds_text(*best->measured_seconds));
  }
  return out;
}

DocumentTable ranking_table(const std::vector<RankedConfiguration>& ranked) {
  constexpr std::size_t kMostRows = 8;
  DocumentTable table{
      .headings = {{""}, {"configuration", Align::left}, {"foretold"}, {"measured"}}, .rows = {}};
  for (std::size_t i = 0; i < std::min(ranked.size(), kMostRows); ++i) {
    table.rows.push_back({std::to_string(i + 1), ranked[i].unseen->configuration,
                          time_or(ranked[i].foretold_seconds, "would not reach it"),
                          time_or(ranked[i].measured_seconds, "did not reach it")});
  }
  return table;
}

}  // namespace

std::vector<Block> forecast_blocks(std::span<const UnseenForecast> all,
                                   std::optional<double> target_top1) {
  std::vector<Block> blocks;
  DocumentTable table{.headings = kScoreHeadings, .rows = {}};
  table.rows.push_back(score_row("time of an epoch", score_epoch_seconds(all), seconds_text));
  table.rows.push_back(score_row("accuracy (top-1, of 1)", score_top1(all), share_text));
  blocks.emplace_back(std::move(table));
  if (auto chart = unseen_epoch_chart(all)) blocks.emplace_back(*std::move(chart));
  if (auto chart = unseen_accuracy_chart(all)) blocks.emplace_back(*std::move(chart));
  if (target_top1) {
    const auto ranked = rank_by_time_to(*target_top1, all);
    blocks.emplace_back(Paragraph{recommendation_words(ranked, *target_top1)});
    blocks.emplace_back(ranking_table(ranked));
  }
  return blocks;
}

std::vector<Block> corpus_blocks(std::span<const CorpusScore> scores) {
  DocumentTable table{.headings = kScoreHeadings, .rows = {}};
  table.headings.front().title = "step on";
  table.headings.insert(table.headings.begin() + 6, {"median error"});
  table.headings.push_back({"MAPE of a perfect forecast"});
  for (const CorpusScore& one : scores) {
    auto row = score_row(fmt::format("{}: {}", one.machine, one.part), one.score, seconds_text);
    row.insert(row.begin() + 6, human_share(one.median_error));
    row.back() = one.repeats_apart ? human_share(*one.repeats_apart) : "–";
    row.push_back(one.least_mape ? human_share(*one.least_mape) : "–");
    table.rows.push_back(std::move(row));
  }
  return {table,
          Paragraph{"Errors are against the mean of a configuration's runs. That mean is off by "
                    "chance itself; the last column is what a forecast that knew the truth would "
                    "be charged with, by how far runs of one configuration lie apart.",
                    true}};
}

}  // namespace tacho
