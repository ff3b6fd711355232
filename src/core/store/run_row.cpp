#include "core/store/run_row.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/store/stored_folder.h"

namespace tacho {
namespace {

// Returns the columns in the order in which write_row() binds and read_row() reads them.
std::vector<std::string_view> row_columns() {
  std::vector<std::string_view> names = {
      "id",      "key",    "folder",      "created_at", "model",        "data", "batch",
      "epochs",  "device", "environment", "image",      "image_digest", "seed", "threads",
      "outcome", "name",   "project",     "tags",       "archived"};
  for (const Metric& metric : metric::kAll) names.push_back(metric.key);
  return names;
}

Result<void> read_row(const Database& database, const Statement& statement, RunRow& row) {
  int at = 0;
  row.id = statement.integer(at++);
  row.key = statement.text_view(at++);
  row.folder = resolved_folder(database.folder(), statement.text_view(at++));
  row.created_at = statement.real(at++);
  row.model = statement.text_view(at++);
  row.data = statement.text_view(at++);
  row.batch = statement.integer(at++);
  row.epochs = statement.integer(at++);
  row.device = statement.text_view(at++);
  row.environment = statement.text_view(at++);
  row.image = statement.text_view(at++);
  row.image_digest = statement.text_view(at++);
  row.seed = statement.integer(at++);
  row.threads = statement.optional_integer(at++);
  const auto outcome = kOutcomes.parse(statement.text_view(at++));
  if (!outcome.ok()) return database.damaged();
  row.outcome = *outcome;
  row.name = statement.text_view(at++);
  row.project = statement.text_view(at++);
  row.tags = statement.text_view(at++);
  row.archived = statement.integer(at++) != 0;
  for (auto& value : row.metrics) value = statement.optional_real(at++);
  return {};
}

}  // namespace

RunRow row_of(const RunRecord& record, const std::filesystem::path& folder) {
  const RunSpec& spec = record.order.spec;
  const auto& command = record.order.command;
  const EnvironmentSpec& environment = record.order.environment;
  const bool threads_known = record.started && record.started->paths.threads > 0;
  const bool named = record.described && !record.described->name.empty();
  RunRow row{.key = record.order.key,
             .name = record.name(),
             .project = record.project(),
             .tags = fmt::format("{}", fmt::join(record.tags(), ", ")),
             .archived = record.edits && record.edits->archived,
             .folder = folder,
             .created_at = record.order.created_at,
             .model = named     ? record.described->name
                      : command ? short_name(*command)
                                : spec.model,
             .data = spec.data,
             .batch = command ? command->batch.value_or(0) : spec.batch,
             .epochs = command ? 0 : spec.epochs,
             .device = std::string(kDevices.of(spec.device)),
             .environment = record.started ? record.started->host.environment
                                           : std::string(kEnvironmentKinds.of(environment.kind)),
             .image = environment.image,
             .image_digest = record.environment ? record.environment->image_digest : "",
             .seed = spec.seed,
             .threads = threads_known ? record.started->paths.threads : spec.threads,
             .outcome = record.outcome};
  for (const auto& [metric, value] : metrics_of(record)) {
    const auto* at = std::ranges::find(metric::kAll, metric->key, &Metric::key);
    row.metrics.at(static_cast<std::size_t>(at - metric::kAll.begin())) = value;
  }
  return row;
}

Result<std::int64_t> write_row(Database& database, std::optional<std::int64_t> id,
                               const RunRow& row) {
  const auto columns = row_columns();
  std::vector<std::string> updates;
  updates.reserve(columns.size());
  for (const auto column : columns) updates.push_back(fmt::format("{0} = excluded.{0}", column));
  // The conflict is on the id and not on the key: otherwise AUTOINCREMENT would use up an id for
  // every existing row.
  TACHO_TRY(statement,
            database.prepare(fmt::format("INSERT INTO runs ({}) VALUES ({}) "
                                         "ON CONFLICT (id) DO UPDATE SET {} RETURNING id",
                                         fmt::join(columns, ", "),
                                         fmt::join(std::vector<char>(columns.size(), '?'), ", "),
                                         fmt::join(updates, ", "))));
  statement.bind(id)
      .bind(row.key)
      .bind(stored_folder(database.folder(), row.folder))
      .bind(row.created_at)
      .bind(row.model)
      .bind(row.data)
      .bind(row.batch)
      .bind(row.epochs)
      .bind(row.device)
      .bind(row.environment)
      .bind(row.image)
      .bind(row.image_digest)
      .bind(row.seed)
      .bind(row.threads)
      .bind(kOutcomes.of(row.outcome))
      .bind(row.name)
      .bind(row.project)
      .bind(row.tags)
      .bind(std::int64_t{row.archived});
  for (const auto& value : row.metrics) statement.bind(value);
  TACHO_TRY(answered, statement.step());
  if (!answered) broken_invariant("an INSERT that returned no id");
  return statement.integer(0);
}

Result<RowReader> RowReader::prepare(Database& database) {
  TACHO_TRY(select, database.prepare(fmt::format("SELECT {} FROM runs WHERE id = ?",
                                                 fmt::join(row_columns(), ", "))));
  return RowReader(std::move(select));
}

Result<void> RowReader::each(const Database& database, std::span<const std::int64_t> ids,
                             Missing missing, const RowVisitor& visit) {
  RunRow row;
  for (const std::int64_t id : ids) {
    select_.reset();
    TACHO_TRY(found, select_.bind(id).step());
    if (!found && missing == Missing::is_left_out) continue;
    if (!found) return database.damaged();
    TACHO_CHECK(read_row(database, select_, row));
    visit(row);
  }
  select_.reset();  // otherwise it would hold a snapshot of the file
  return {};
}

Result<std::vector<RunRow>> read_rows(Database& database, std::span<const std::int64_t> ids) {
  TACHO_TRY(reader, RowReader::prepare(database));
  std::vector<RunRow> rows;
  rows.reserve(ids.size());
  TACHO_CHECK(reader.each(database, ids, Missing::is_damage,
                          [&](const RunRow& row) { rows.push_back(row); }));
  return rows;
}

}  // namespace tacho
