#include "serving/dashboard/run_detail.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/confined_file.h"
#include "core/record/event_fields.h"
#include "core/record/event_log.h"
#include "core/store/run_tables.h"
#include "experiments/runner/run_state.h"
#include "serving/dashboard/run_json.h"
#include "serving/dashboard/series.h"
#include "tracing/report/text_report.h"

namespace tacho::serve {
namespace {

constexpr std::int64_t kMaxPoints = 20'000;
constexpr std::int64_t kUsualPoints = 2'000;

Json epoch_json(const EpochDone& epoch) { return json_of(epoch); }

Json steps_json(const RunRecord& record, std::size_t points) {
  const StepSeries& steps = record.steps;
  const Buckets seconds = bucketed(steps.seconds, points);
  return {{"count", steps.seconds.size()},
          {"bucket", seconds.width},
          {"warmup", steps.warmup},
          {"samples_per_step", record.samples_per_step()},
          {"seconds", buckets_json(seconds)},
          {"input_seconds", buckets_json(bucketed(steps.input_seconds, points))},
          {"loss", buckets_json(bucketed(steps.loss, points))}};
}

// One list per figure, as long as the number of its values.
Json figures_json(const std::vector<FiguresSeen>& figures, std::size_t points) {
  struct Series {
    std::vector<double> at;
    std::vector<double> times;
    std::vector<double> values;
  };
  std::map<std::string, Series> by_name;
  for (const FiguresSeen& seen : figures) {
    for (const auto& [name, value] : seen.values) {
      Series& series = by_name[name];
      series.at.push_back(seen.step ? static_cast<double>(*seen.step)
                                    : static_cast<double>(series.at.size() + 1));
      if (seen.unix_seconds) series.times.push_back(*seen.unix_seconds);
      series.values.push_back(value);
    }
  }
  Json json = Json::object();
  for (const auto& [name, series] : by_name) {
    const Buckets values = bucketed(series.values, points);
    json[name] = {{"count", series.values.size()},
                  {"bucket", values.width},
                  {"step", numbers_json(bucketed(series.at, points).mean)},
                  {"value", buckets_json(values)}};
    // Records of earlier versions have no times.
    if (series.times.size() != series.at.size()) continue;
    json[name]["unix_seconds"] = numbers_json(bucketed(series.times, points).mean);
  }
  return json;
}

}  // namespace

StoredRun current_run(StoredRun run) {
  if (run.row.outcome != Outcome::running) return run;
  // The stored record dates from the start of the run.
  const RunFolder folder(run.row.folder);
  auto order = folder.read_order();
  const auto events = read_events(folder.events());
  if (!order.ok() || !events.ok()) return run;
  auto edits = std::move(run.record.edits);
  run.record = fold(*std::move(order), *events);
  run.record.edits = std::move(edits);
  const std::int64_t id = run.row.id;
  run.row = row_of(run.record, run.row.folder);
  run.row.id = id;
  return run;
}

Result<StoredRun> find_run(RunStore& store, const std::string& handle) {
  TACHO_TRY(run, store.find(handle));
  return current_run(std::move(run));
}

Result<SingleFlightCache<StoredRun>::Item> RecentRuns::find(const std::string& handle) {
  TACHO_TRY(state, stores_.state_number());
  return runs_.get(fmt::format("{};{}", state, handle), [&]() -> Result<StoredRun> {
    TACHO_TRY(store, stores_.take());
    return store->find(handle);
  });
}

Answer run_detail(const http::Request& request, const StoredRun& run) {
  TACHO_CHECK(check_parameters(request, {}));
  std::string text;
  append_run(text, run.row);
  TACHO_TRY(json, parse_json(text));
  json["title"] = run_title(run.record);
  json["reason"] = run.record.reason;
  json["step_count"] = run.record.steps.seconds.size();
  // The long series have separate addresses.
  RunRecord brief = run.record;
  brief.steps = {};
  brief.rank_steps.clear();
  brief.figures.clear();
  Json record = to_json(brief);
  for (const char* series : {"steps", "usage"}) record.erase(series);
  record["metrics"] = json["metrics"];
  json["folder"] = run.row.folder.string();
  json["running"] =
      run.record.outcome == Outcome::running && is_being_worked_on(RunFolder(run.row.folder));
  json["record"] = std::move(record);
  return json_answer(json);
}

Answer run_record(const http::Request& request, const StoredRun& run) {
  TACHO_CHECK(check_parameters(request, {}));
  return file_answer(json_text(record_json(run.row.id, run.record), 1) + "\n", "application/json",
                     fmt::format("run-{}.json", run.row.id));
}

Answer run_steps(const http::Request& request, const StoredRun& run) {
  TACHO_CHECK(check_parameters(request, {"points", "format"}));
  TACHO_TRY(points, whole_parameter(request, "points", kUsualPoints, 1, kMaxPoints));
  TACHO_TRY(format, word_parameter(request, "format", {"json", "csv"}));
  if (format == "csv") {
    const std::string name = fmt::format("run-{}-steps.csv", run.row.id);
    return file_answer(table_csv(RunTable::steps, {run}), "text/csv; charset=utf-8", name);
  }
  return json_answer(steps_json(run.record, static_cast<std::size_t>(points)));
}

Answer run_epochs(const http::Request& request, const StoredRun& run) {
  TACHO_CHECK(check_parameters(request, {"format"}));
  TACHO_TRY(format, word_parameter(request, "format", {"json", "csv"}));
  if (format == "csv") {
    const std::string name = fmt::format("run-{}-epochs.csv", run.row.id);
    return file_answer(table_csv(RunTable::epochs, {run}), "text/csv; charset=utf-8", name);
  }
  Json list = Json::array();
  for (const EpochDone& epoch : run.record.epochs) list.push_back(epoch_json(epoch));
  return json_answer({{"epochs", std::move(list)}});
}

Answer run_figures(const http::Request& request, const StoredRun& run) {
  TACHO_CHECK(check_parameters(request, {"points"}));
  TACHO_TRY(points, whole_parameter(request, "points", kUsualPoints, 1, kMaxPoints));
  return json_answer(
      {{"count", run.record.figures.size()},
       {"figures", figures_json(run.record.figures, static_cast<std::size_t>(points))}});
}

Json usage_json(const RunFolder& folder, std::size_t points) {
  Json json = {{"series", nullptr}, {"why", ""}};
  const auto text = read_confined(folder.path(), folder.usage());
  auto log = text.ok() ? usage_from_text(*text) : Result<UsageLog>(text.error());
  if (!log.ok()) {
    json["why"] = log.error().code == ErrorCode::not_found
                      ? "usage was not sampled: the run's folder has no usage.jsonl"
                      : log.error().message;
    return json;
  }
  json["series"] =
      usage_series_json(usage_series(log->samples, log->facts ? log->facts->cores : 0), points);
  if (log->facts) {
    json["cores_allowed"] = log->facts->cores;
    json["memory_limit_bytes"] = log->facts->memory_limit_bytes;
  }
  return json;
}

Answer run_usage(const http::Request& request, const StoredRun& run) {
  TACHO_CHECK(check_parameters(request, {"points"}));
  TACHO_TRY(points, whole_parameter(request, "points", kUsualPoints, 1, kMaxPoints));
  return json_answer(usage_json(RunFolder(run.row.folder), static_cast<std::size_t>(points)));
}

}  // namespace tacho::serve
