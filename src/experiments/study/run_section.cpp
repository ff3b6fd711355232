#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "experiments/study/sections.h"

namespace tacho {
namespace {

DocumentTable metrics_table(const RunRecord& record, const std::vector<std::string>& show) {
  DocumentTable table{
      .headings = {{"metric", Align::left}, {"value"}, {"description", Align::left}}, .rows = {}};
  const auto values = metrics_of(record);
  for (const std::string& key : show) {
    const auto found = std::ranges::find_if(
        values, [&](const MetricValue& value) { return value.first->key == key; });
    if (found == values.end()) continue;
    table.rows.push_back({std::string(found->first->title), human(*found->first, found->second),
                          std::string(found->first->help)});
  }
  return table;
}

std::optional<Chart> learning_chart(const RunRecord& record) {
  if (record.epochs.size() < 2) return std::nullopt;
  LinesChart chart{
      .title = "Accuracy by epoch", .x_title = "epoch", .unit = Unit::share, .lines = {}};
  chart.lines = {{.name = "evaluation", .points = {}}, {.name = "training", .points = {}}};
  for (const EpochDone& epoch : record.epochs) {
    const auto x = static_cast<double>(epoch.epoch);
    chart.lines[0].points.push_back({x, epoch.top1});
    chart.lines[1].points.push_back({x, epoch.train_top1});
  }
  return Chart(std::move(chart));
}

std::string load_words(const LoadMeasured& load) {
  std::string out = fmt::format(
      "{}: {} requests/s, median latency {}, 99th percentile {}; {} of {} answers came from the "
      "cache.",
      load.load, human_count(load.requests_per_s), human(Seconds(load.p50_s)),
      human(Seconds(load.p99_s)), human_count(static_cast<double>(load.cached)),
      human_count(static_cast<double>(load.ok)));
  if (!load.remark.empty()) out += " " + load.remark;
  return out;
}

}  // namespace

std::vector<Block> run_blocks(const RunRecord& record, const std::vector<std::string>& show) {
  const std::vector<std::string> usual = {"top1",     "samples_per_s",  "step_s",     "train_s",
                                          "eval_s",   "total_s",        "cores_used", "run_memory",
                                          "gpu_busy", "gpu_memory_used"};
  std::vector<Block> blocks;
  if (record.outcome != Outcome::ok) {
    blocks.emplace_back(Paragraph{fmt::format("The run did not succeed ({}): {}.",
                                              kOutcomes.of(record.outcome), record.reason)});
  }
  if (record.load) blocks.emplace_back(Paragraph{load_words(*record.load)});
  if (auto chart = learning_chart(record)) blocks.emplace_back(*std::move(chart));
  DocumentTable table = metrics_table(record, show.empty() ? usual : show);
  if (!table.rows.empty()) blocks.emplace_back(std::move(table));
  return blocks;
}

}  // namespace tacho
