#include "core/store/run_tables.h"

#include <utility>

#include "base/csv.h"
#include "base/units.h"

namespace tacho {
namespace {

std::string created(const RunRow& row) {
  const auto since_epoch =
      std::chrono::duration_cast<std::chrono::system_clock::duration>(Seconds(row.created_at));
  return utc_text(std::chrono::system_clock::time_point(since_epoch));
}

std::string whole(std::int64_t number) { return std::to_string(number); }

std::string epochs_csv(const std::vector<StoredRun>& runs) {
  std::string out =
      csv_line({"run", "epoch", "steps", "samples", "learning_rate", "train_loss", "train_top1",
                "train_seconds", "eval_loss", "top1", "top5", "eval_seconds"});
  for (const StoredRun& run : runs) {
    for (const EpochDone& e : run.record.epochs) {
      out +=
          csv_line({whole(run.row.id), whole(e.epoch), whole(e.steps), whole(e.samples),
                    csv_number(e.learning_rate), csv_number(e.train_loss), csv_number(e.train_top1),
                    csv_number(e.train_seconds), csv_number(e.eval_loss), csv_number(e.top1),
                    csv_number(e.top5), csv_number(e.eval_seconds)});
    }
  }
  return out;
}

std::string steps_csv(const std::vector<StoredRun>& runs) {
  std::string out = csv_line({"run", "step", "warmup", "seconds", "input_seconds", "loss"});
  for (const StoredRun& run : runs) {
    const StepSeries& steps = run.record.steps;
    auto warmup = steps.warmup.begin();
    for (std::size_t i = 0; i < steps.seconds.size(); ++i) {
      const bool warm = warmup != steps.warmup.end() && *warmup == static_cast<std::int64_t>(i);
      if (warm) ++warmup;
      out += csv_line({whole(run.row.id), whole(static_cast<std::int64_t>(i) + 1), warm ? "1" : "0",
                       csv_number(steps.seconds[i]), csv_number(steps.input_seconds[i]),
                       csv_number(steps.loss[i])});
    }
  }
  return out;
}

}  // namespace

std::string runs_csv(const std::vector<RunRow>& rows) {
  std::vector<std::string> head = {"id",           "key",    "created_at", "model",       "data",
                                   "batch",        "epochs", "device",     "environment", "image",
                                   "image_digest", "seed",   "threads",    "outcome",     "name",
                                   "project",      "tags",   "archived"};
  for (const Metric& metric : metric::kAll) head.emplace_back(metric.key);
  std::string out = csv_line(head);
  for (const RunRow& row : rows) {
    std::vector<std::string> cells = {whole(row.id),
                                      row.key,
                                      created(row),
                                      row.model,
                                      row.data,
                                      whole(row.batch),
                                      whole(row.epochs),
                                      row.device,
                                      row.environment,
                                      row.image,
                                      row.image_digest,
                                      whole(row.seed),
                                      row.threads ? whole(*row.threads) : "",
                                      std::string(kOutcomes.of(row.outcome)),
                                      row.name,
                                      row.project,
                                      row.tags,
                                      row.archived ? "1" : "0"};
    for (const auto& value : row.metrics) cells.push_back(value ? csv_number(*value) : "");
    out += csv_line(cells);
  }
  return out;
}

Json runs_json(const std::vector<RunRow>& rows) {
  Json list = Json::array();
  for (const RunRow& row : rows) {
    Json metrics = Json::object();
    for (std::size_t i = 0; i < metric::kAll.size(); ++i) {
      if (row.metrics[i]) metrics[std::string(metric::kAll[i].key)] = *row.metrics[i];
    }
    list.push_back({{"id", row.id},
                    {"key", row.key},
                    {"created_at", created(row)},
                    {"folder", row.folder.string()},
                    {"model", row.model},
                    {"data", row.data},
                    {"batch", row.batch},
                    {"epochs", row.epochs},
                    {"device", row.device},
                    {"environment", row.environment},
                    {"image", row.image},
                    {"image_digest", row.image_digest},
                    {"seed", row.seed},
                    {"threads", row.threads ? Json(*row.threads) : Json(nullptr)},
                    {"outcome", kOutcomes.of(row.outcome)},
                    {"name", row.name},
                    {"project", row.project},
                    {"tags", row.tags},
                    {"archived", row.archived},
                    {"metrics", std::move(metrics)}});
  }
  return list;
}

std::string table_csv(RunTable table, const std::vector<StoredRun>& runs) {
  switch (table) {
    case RunTable::epochs:
      return epochs_csv(runs);
    case RunTable::steps:
      return steps_csv(runs);
    case RunTable::runs:
      break;
  }
  std::vector<RunRow> rows;
  for (const StoredRun& run : runs) rows.push_back(run.row);
  return runs_csv(rows);
}

Json record_json(std::int64_t id, const RunRecord& record) {
  Json json = to_json(record);
  json["id"] = id;
  return json;
}

Json records_json(const std::vector<StoredRun>& runs) {
  Json list = Json::array();
  for (const StoredRun& run : runs) list.push_back(record_json(run.row.id, run.record));
  return list;
}

Json brief_records_json(std::vector<StoredRun> runs) {
  Json list = Json::array();
  for (StoredRun& run : runs) {
    const auto figures = std::exchange(run.record.figures, {});
    Json json = record_json(run.row.id, run.record);
    for (const char* series : {"steps", "rank_steps"}) json.erase(series);
    Json& last = json["last_figures"] = Json::object();
    for (const FiguresSeen& seen : figures) {
      for (const auto& [name, value] : seen.values) last[name] = value;
    }
    json["listed"] = runs_json({run.row}).front();
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace tacho
