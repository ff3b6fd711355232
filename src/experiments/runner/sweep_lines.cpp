#include "experiments/runner/sweep_lines.h"

#include <algorithm>

namespace tacho {

Result<std::vector<SweepLine>> sweep_lines(SweepStore& store, const SweepRow& sweep) {
  TACHO_TRY(tasks, store.tasks(sweep.id));
  TACHO_TRY(rows, store.results(sweep.id));
  std::vector<SweepLine> lines;
  lines.reserve(tasks.size());
  for (SweepTask& task : tasks) {
    SweepLine line{std::move(task), std::nullopt};
    const auto found = line.task.state == SweepTaskState::done && line.task.result_key
                           ? rows.find(*line.task.result_key)
                           : rows.end();
    if (found != rows.end()) line.run = std::move(found->second);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::optional<double> value_of(const RunRow& run, const Metric& metric) {
  const auto* at = std::ranges::find(metric::kAll, metric.key, &Metric::key);
  return run.metrics.at(static_cast<std::size_t>(at - metric::kAll.begin()));
}

std::optional<double> value_of(const SweepLine& line, const Metric& metric) {
  return line.run ? value_of(*line.run, metric) : std::nullopt;
}

std::string stage_of(const SweepRunner& runner, const SweepRow& sweep) {
  if (sweep.state != SweepState::open) return std::string(kSweepStates.of(sweep.state));
  return runner.is_driven(sweep) ? "running" : "stopped";
}

Json sweep_json(const std::vector<SweepLine>& lines) {
  Json list = Json::array();
  for (const SweepLine& line : lines) {
    Json metrics = Json::object();
    for (const Metric& metric : metric::kAll) {
      if (const auto value = value_of(line, metric)) metrics[std::string(metric.key)] = *value;
    }
    list.push_back({{"position", line.task.position},
                    {"configuration", to_json(line.task.configuration)},
                    {"repetition", line.task.repetition},
                    {"state", kSweepTaskStates.of(line.task.state)},
                    {"attempt", line.task.attempt},
                    {"reason", line.task.reason},
                    {"run", line.run ? Json(line.run->id) : Json(nullptr)},
                    {"key", line.run ? Json(line.run->key) : Json(nullptr)},
                    {"outcome", line.run ? Json(kOutcomes.of(line.run->outcome)) : Json(nullptr)},
                    {"metrics", std::move(metrics)}});
  }
  return list;
}

Json counts_json(const SweepCounts& counts) {
  Json json = {{"runs", counts.all()}};
  for (const auto& [state, name] : kSweepTaskStates.table) {
    json[std::string(name)] = counts.states.contains(state) ? counts.states.at(state) : 0;
  }
  Json outcomes = Json::object();
  for (const auto& [outcome, count] : counts.outcomes) {
    outcomes[std::string(kOutcomes.of(outcome))] = count;
  }
  json["outcomes"] = std::move(outcomes);
  json["run_seconds"] = counts.run_seconds;
  return json;
}

}  // namespace tacho
