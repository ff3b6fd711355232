#include "experiments/exchange/run_history.h"

#include <fmt/format.h>

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

}  // namespace

Result<PortableRun> portable_run(const StoredRun& stored) {
  const RunRecord& record = stored.record;
  const RunFolder folder(stored.row.folder);
  TACHO_TRY(points, read_history(folder).in(fmt::format("run {}", stored.row.id)));
  // Figures without a step are numbered in their order.
  std::int64_t unnumbered = 0;
  for (HistoryPoint& point : points) {
    if (!point.step) point.step = unnumbered++;
  }
  PortableRun run{.id = record.order.key, .source = folder.path()};
  if (record.described) run.described = *record.described;
  run.described.name = record.name().empty() ? stored.row.model : record.name();
  run.described.project = record.project();
  run.described.tags = record.tags();
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
