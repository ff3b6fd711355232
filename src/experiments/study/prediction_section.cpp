#include "experiments/study/prediction_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "core/record/statistics.h"

namespace tacho {
namespace {

const std::vector<Table::Heading> kScoreHeadings = {{"figure", Align::left},
                                                    {"predicted"},
                                                    {"abstained"},
                                                    {"MAE"},
                                                    {"RMSE"},
                                                    {"MAPE"},
                                                    {"90 % coverage"},
                                                    {"difference between repeats"}};

std::string share_text(double share) { return fmt::format("{:.4f}", share); }
std::string seconds_text(double value) { return human(Seconds(value)); }

std::vector<std::string> score_row(std::string figure, const PredictionScore& score,
                                   std::string (*text)(double)) {
  const bool any = score.configurations > 0;
  const auto shown = [&](const std::string& value) { return any ? value : std::string("–"); };
  std::string difference = "–";
  if (score.repeat_mae) {
    difference = fmt::format("{}, {}", text(*score.repeat_mae), human_share(*score.repeat_mape));
  }
  return {std::move(figure),
          std::to_string(score.configurations),
          std::to_string(score.refused),
          shown(text(score.mae)),
          shown(text(score.rmse)),
          shown(human_share(score.mape)),
          shown(human_share(score.coverage)),
          difference};
}

std::optional<Chart> epoch_chart(std::span<const HeldOutPrediction> all) {
  ScatterChart chart{.title = "Epoch time: each configuration predicted from the others",
                     .unit = Unit::seconds,
                     .points = {}};
  for (const HeldOutPrediction& one : all) {
    if (!one.epoch_seconds) continue;
    std::vector<double> values;
    for (const RunRecord* run : one.runs) values.push_back(epoch_seconds(*run));
    const Estimate& range = *one.epoch_seconds;
    chart.points.push_back({mean(values), range.value, range.low, range.high, one.configuration});
  }
  return chart.points.empty() ? std::nullopt : std::optional<Chart>(std::move(chart));
}

std::optional<Chart> accuracy_chart(std::span<const HeldOutPrediction> all) {
  ScatterChart chart{.title =
                         "Accuracy after the last epoch: each configuration predicted from the "
                         "others",
                     .unit = Unit::share,
                     .logarithmic = false,
                     .points = {}};
  for (const HeldOutPrediction& one : all) {
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
  if (ranked.empty() || !ranked.front().predicted_seconds) {
    return fmt::format("No configuration is predicted to reach {}, so none is recommended.", goal);
  }
  const RankedConfiguration& first = ranked.front();
  std::string out =
      fmt::format("Recommended for {}: {}, predicted to reach it after {} of training.", goal,
                  first.prediction->configuration, seconds_text(*first.predicted_seconds));
  const RankedConfiguration* best = truly_fastest(ranked);
  if (const auto regret = regret_of_first(ranked)) {
    out += fmt::format(" It took {}; the fastest, {}, took {}: a regret of {}.",
                       seconds_text(*first.measured_seconds), best->prediction->configuration,
                       seconds_text(*best->measured_seconds), human_share(*regret));
  } else {
    out +=
        best == nullptr
            ? " No run reached it."
            : fmt::format(" It did not reach it; the fastest that did was {}, after {}.",
                          best->prediction->configuration, seconds_text(*best->measured_seconds));
  }
  return out;
}

DocumentTable ranking_table(const std::vector<RankedConfiguration>& ranked) {
  constexpr std::size_t kMostRows = 8;
  DocumentTable table{
      .headings = {{""}, {"configuration", Align::left}, {"predicted"}, {"measured"}}, .rows = {}};
  for (std::size_t i = 0; i < std::min(ranked.size(), kMostRows); ++i) {
    table.rows.push_back({std::to_string(i + 1), ranked[i].prediction->configuration,
                          time_or(ranked[i].predicted_seconds, "not reached"),
                          time_or(ranked[i].measured_seconds, "not reached")});
  }
  return table;
}

}  // namespace

std::vector<Block> prediction_blocks(std::span<const HeldOutPrediction> all,
                                     std::optional<double> target_top1) {
  std::vector<Block> blocks;
  DocumentTable table{.headings = kScoreHeadings, .rows = {}};
  table.rows.push_back(score_row("epoch time", score_epoch_seconds(all), seconds_text));
  table.rows.push_back(score_row("accuracy (top-1, 0 to 1)", score_top1(all), share_text));
  blocks.emplace_back(std::move(table));
  if (auto chart = epoch_chart(all)) blocks.emplace_back(*std::move(chart));
  if (auto chart = accuracy_chart(all)) blocks.emplace_back(*std::move(chart));
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
  table.headings.push_back({"MAPE of a perfect prediction"});
  for (const CorpusScore& one : scores) {
    auto row = score_row(fmt::format("{}: {}", one.machine, one.part), one.score, seconds_text);
    row.insert(row.begin() + 6, human_share(one.median_error));
    row.back() = one.repeat_difference ? human_share(*one.repeat_difference) : "–";
    row.push_back(one.least_mape ? human_share(*one.least_mape) : "–");
    table.rows.push_back(std::move(row));
  }
  return {table,
          Paragraph{"Errors are relative to the mean of a configuration's runs, which has an error "
                    "itself: the last column is the MAPE that a prediction of the true mean would "
                    "have, computed from the difference between repeats.",
                    true}};
}

}  // namespace tacho
