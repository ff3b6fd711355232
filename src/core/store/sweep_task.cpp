#include "core/store/sweep_task.h"

namespace tacho {
namespace {

Result<RunOrder> asked_of(const std::string& text) {
  TACHO_TRY(json, parse_json(text));
  RunOrder order;
  JsonObject object(json, "task");
  TACHO_CHECK(read_what_was_asked(object, order));
  TACHO_CHECK(object.finish());
  return order;
}

std::optional<std::string> text_or_none(const Statement& statement, int column) {
  if (statement.is_null(column)) return std::nullopt;
  return statement.text(column);
}

}  // namespace

std::string_view task_columns() {
  return "position, configuration, repetition, asked, state, attempt, batch, run_key, result_key, "
         "reason";
}

Result<SweepTask> read_task(const Database& database, const Statement& statement) {
  int at = 0;
  SweepTask task;
  task.position = statement.integer(at++);
  TACHO_TRY(json, parse_json(statement.text(at++)));
  TACHO_TRY(configuration, configuration_from_json(json));
  task.configuration = std::move(configuration);
  task.repetition = statement.integer(at++);
  TACHO_TRY(asked, asked_of(statement.text(at++)));
  task.asked = std::move(asked);
  const auto state = kSweepTaskStates.parse(statement.text(at++));
  if (!state.ok()) return database.damaged();
  task.state = *state;
  task.attempt = statement.integer(at++);
  task.batch = statement.text(at++);
  task.run_key = text_or_none(statement, at++);
  task.result_key = text_or_none(statement, at++);
  task.reason = statement.text(at++);
  return task;
}

std::string asked_text(const RunOrder& asked) {
  Json json = Json::object();
  add_what_was_asked(asked, json);
  return json_text(json);
}

}  // namespace tacho
