#include "experiments/exchange/run_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/record/history.h"

namespace tacho {
namespace {

// The settings of a training.
std::map<std::string, std::string> settings_of(const RunSpec& spec) {
  std::map<std::string, std::string> out;
  const Json json = to_json(spec);
  for (const auto& [name, value] : json.items()) {
    if (!value.is_null()) add_settings(name, value, out);
  }
  return out;
}

// Values without a step are numbered from 1 for each name, as tacho runs history does.
void number_points(std::vector<HistoryPoint>& points) {
  std::map<std::string, std::int64_t> counts;
  for (HistoryPoint& point : points) {
    std::int64_t number = 0;
    for (const auto& [name, value] : point.values) number = std::max(number, ++counts[name]);
    if (!point.step) point.step = number;
  }
}

}  // namespace

Result<PortableRun> portable_run(const StoredRun& stored) {
  const RunRecord& record = stored.record;
  const RunFolder folder(stored.row.folder);
  TACHO_TRY(points, read_history(folder).in(fmt::format("run {}", stored.row.id)));
  number_points(points);
  PortableRun run{.id = record.order.key, .source = folder.path()};
  if (record.described) run.described = *record.described;
  run.described.name = record.name().empty() ? stored.row.model : record.name();
  run.described.project = record.project();
  run.described.tags = record.tags();
  if (record.edits && record.edits->notes) run.notes = {*record.edits->notes};
  if (!record.order.command) run.described.config = settings_of(record.order.spec);
  run.began = record.started_at.value_or(record.order.created_at);
  run.ended = run.began + record.totals.wall_seconds;
  run.outcome = record.outcome;
  run.reason = record.reason;
  run.points = std::move(points);
  cover_points(run);
  return run;
}

}  // namespace tacho
