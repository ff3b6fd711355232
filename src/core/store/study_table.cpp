#include "core/store/study_table.h"

#include "base/json_object.h"

namespace tacho {
namespace {

StudyRow study_row_in(const Statement& statement) {
  return {statement.integer(0), statement.text(1), statement.text(2), statement.text(3),
          statement.text(4)};
}

std::string absent_text(const std::vector<AbsentThing>& absent) {
  Json list = Json::array();
  for (const AbsentThing& thing : absent)
    list.push_back({{"what", thing.what}, {"why", thing.why}});
  return json_text(list);
}

Result<std::vector<AbsentThing>> absent_in(const std::string& text) {
  TACHO_TRY(json, parse_json(text));
  std::vector<AbsentThing> absent;
  for (const Json& one : json) {
    JsonObject object(one, "absent");
    AbsentThing thing;
    object.read("what", thing.what);
    object.read("why", thing.why);
    TACHO_CHECK(object.finish());
    absent.push_back(std::move(thing));
  }
  return absent;
}

}  // namespace

Result<StudyRow> StudyTable::add(const StudyRow& row) {
  TACHO_TRY(statement, database_.prepare(
                           "INSERT INTO studies (key, name, level, started) VALUES (?, ?, ?, ?)"));
  TACHO_CHECK(statement.bind(row.key).bind(row.name).bind(row.level).bind(row.started).run());
  TACHO_TRY(id, database_.integer("SELECT last_insert_rowid()"));
  StudyRow added = row;
  added.id = id;
  return added;
}

Result<std::optional<StudyRow>> StudyTable::newest(std::string_view name, std::string_view level) {
  TACHO_TRY(statement,
            database_.prepare("SELECT id, key, name, level, started FROM studies WHERE name = ? "
                              "AND level = ? ORDER BY id DESC LIMIT 1"));
  TACHO_TRY(found, statement.bind(name).bind(level).step());
  return found ? std::optional(study_row_in(statement)) : std::nullopt;
}

Result<std::vector<StudyRow>> StudyTable::list() {
  TACHO_TRY(statement, database_.prepare(
                           "SELECT id, key, name, level, started FROM studies ORDER BY id DESC"));
  std::vector<StudyRow> rows;
  while (true) {
    TACHO_TRY(found, statement.step());
    if (!found) return rows;
    rows.push_back(study_row_in(statement));
  }
}

Result<void> StudyTable::put(std::int64_t study, const StudyStepRow& step) {
  TACHO_TRY(statement,
            database_.prepare("INSERT OR REPLACE INTO study_steps (study_id, step, state, "
                              "record_key, absent) VALUES (?, ?, ?, ?, ?)"));
  return statement.bind(study)
      .bind(step.step)
      .bind(kStudyStepStates.of(step.state))
      .bind(step.record_key)
      .bind(absent_text(step.absent))
      .run();
}

Result<std::optional<StudyStepRow>> StudyTable::step(std::int64_t study, std::string_view step) {
  TACHO_TRY(statement, database_.prepare("SELECT step, state, record_key, absent FROM study_steps "
                                         "WHERE study_id = ? AND step = ?"));
  TACHO_TRY(found, statement.bind(study).bind(step).step());
  if (!found) return std::optional<StudyStepRow>();
  StudyStepRow row{.step = statement.text(0), .record_key = statement.text(2)};
  TACHO_TRY(state, kStudyStepStates.parse(statement.text(1)));
  TACHO_TRY(absent, absent_in(statement.text(3)).in(database_.file()));
  row.state = state;
  row.absent = std::move(absent);
  return std::optional(std::move(row));
}

}  // namespace tacho
