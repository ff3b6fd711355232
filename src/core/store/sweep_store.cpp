#include "core/store/sweep_store.h"

#include <fmt/format.h>

#include "base/parse_number.h"
#include "core/store/run_store.h"

namespace tacho {
namespace {

constexpr std::string_view kSweepColumns = "id, key, name, grid, settings, created_at, state";

Result<SweepRow> read_sweep(const Database& database, const Statement& statement) {
  SweepRow row;
  row.id = statement.integer(0);
  row.key = statement.text(1);
  row.name = statement.text(2);
  row.grid = statement.text(3);
  row.settings = statement.text(4);
  row.created_at = statement.real(5);
  const auto state = kSweepStates.parse(statement.text(6));
  if (!state.ok()) return database.damaged();
  row.state = *state;
  return row;
}

Result<std::vector<SweepRow>> read_sweeps(const Database& database, Statement& statement) {
  std::vector<SweepRow> rows;
  while (true) {
    TACHO_TRY(found, statement.step());
    if (!found) return rows;
    TACHO_TRY(row, read_sweep(database, statement));
    rows.push_back(std::move(row));
  }
}

Result<std::vector<SweepTask>> read_tasks(const Database& database, Statement& statement) {
  std::vector<SweepTask> tasks;
  while (true) {
    TACHO_TRY(found, statement.step());
    if (!found) return tasks;
    TACHO_TRY(task, read_task(database, statement));
    tasks.push_back(std::move(task));
  }
}

Result<void> remove_run(Database& database, const std::string& key) {
  TACHO_TRY(statement, database.prepare("DELETE FROM runs WHERE key = ?"));
  return statement.bind(key).run();
}

}  // namespace

std::int64_t SweepCounts::all() const {
  std::int64_t sum = 0;
  for (const auto& [state, count] : states) sum += count;
  return sum;
}

Result<SweepStore> SweepStore::open(const std::filesystem::path& file) {
  TACHO_TRY(database, open_store_file(file));
  return SweepStore(std::move(database));
}

Result<std::int64_t> SweepStore::add(const SweepRow& row, std::span<const SweepTask> tasks) {
  TACHO_TRY(transaction, Transaction::begin(database_, Transaction::Kind::write));
  TACHO_TRY(insert,
            database_.prepare("INSERT INTO sweeps (key, name, grid, settings, created_at, state) "
                              "VALUES (?, ?, ?, ?, ?, ?) RETURNING id"));
  insert.bind(row.key).bind(row.name).bind(row.grid).bind(row.settings).bind(row.created_at);
  TACHO_TRY(answered, insert.bind(kSweepStates.of(row.state)).step());
  if (!answered) broken_invariant("an INSERT that returned no id");
  const std::int64_t id = insert.integer(0);
  insert.reset();
  TACHO_TRY(add_task,
            database_.prepare("INSERT INTO sweep_tasks (sweep_id, position, configuration, "
                              "repetition, asked, state, reason) VALUES (?, ?, ?, ?, ?, ?, ?)"));
  std::int64_t position = 0;
  for (const SweepTask& task : tasks) {
    add_task.reset();
    TACHO_CHECK(add_task.bind(id)
                    .bind(++position)
                    .bind(json_text(to_json(task.configuration)))
                    .bind(task.repetition)
                    .bind(asked_text(task.asked))
                    .bind(kSweepTaskStates.of(task.state))
                    .bind(task.reason)
                    .run());
  }
  TACHO_CHECK(transaction.commit());
  return id;
}

Result<std::vector<SweepRow>> SweepStore::matching(std::string_view handle) {
  const auto select = [this](std::string_view where) {
    return database_.prepare(fmt::format("SELECT {} FROM sweeps WHERE {} ORDER BY id DESC LIMIT 2",
                                         kSweepColumns, where));
  };
  if (const auto id = parse_number<std::int64_t>(handle)) {
    TACHO_TRY(by_id, select("id = ?"));
    TACHO_TRY(rows, read_sweeps(database_, by_id.bind(*id)));
    // A key begins with a year, which is also a number; a shorter number is an id.
    constexpr std::size_t kYearLength = 4;
    if (!rows.empty() || handle.size() < kYearLength) return rows;
  }
  TACHO_TRY(by_key, select("key >= ?1 AND key < ?1 || char(0x10FFFF)"));
  return read_sweeps(database_, by_key.bind(handle));
}

Result<SweepRow> SweepStore::find(std::string_view handle) {
  if (handle == "last") {
    TACHO_TRY(all, list());
    if (!all.empty()) return std::move(all.back());
    return Error{ErrorCode::not_found, "no sweep yet; make one with 'tacho sweep grid.yaml'"};
  }
  TACHO_TRY(rows, matching(handle));
  if (rows.empty() || handle.empty()) {
    return Error{ErrorCode::not_found, fmt::format("no sweep {}; see 'tacho sweep ls'", handle)};
  }
  if (rows.size() > 1) {
    return Error{
        ErrorCode::usage,
        fmt::format("the keys of several sweeps begin with '{}'; give more of the key (see "
                    "'tacho sweep ls')",
                    handle)};
  }
  return std::move(rows.front());
}

Result<std::vector<SweepRow>> SweepStore::list() {
  TACHO_TRY(statement,
            database_.prepare(fmt::format("SELECT {} FROM sweeps ORDER BY id", kSweepColumns)));
  return read_sweeps(database_, statement);
}

Result<void> SweepStore::set_state(std::int64_t sweep, SweepState state) {
  TACHO_TRY(statement, database_.prepare("UPDATE sweeps SET state = ? WHERE id = ?"));
  return statement.bind(kSweepStates.of(state)).bind(sweep).run();
}

Result<void> SweepStore::set_settings(std::int64_t sweep, const std::string& settings) {
  TACHO_TRY(statement, database_.prepare("UPDATE sweeps SET settings = ? WHERE id = ?"));
  return statement.bind(settings).bind(sweep).run();
}

Result<SweepCounts> SweepStore::counts(std::int64_t sweep) {
  const auto snapshot = Transaction::begin(database_, Transaction::Kind::read);
  if (!snapshot.ok()) return snapshot.error();
  SweepCounts counts;
  for (const auto& [state, name] : kSweepTaskStates.table) counts.states[state] = 0;
  TACHO_TRY(states, database_.prepare("SELECT state, count(*) FROM sweep_tasks WHERE sweep_id = ? "
                                      "GROUP BY state"));
  states.bind(sweep);
  while (true) {
    TACHO_TRY(found, states.step());
    if (!found) break;
    const auto state = kSweepTaskStates.parse(states.text(0));
    if (!state.ok()) return database_.damaged();
    counts.states[*state] = states.integer(1);
  }
  TACHO_TRY(outcomes,
            database_.prepare("SELECT outcome, count(*), total(wall_s) FROM sweep_tasks JOIN runs "
                              "ON key = result_key WHERE sweep_id = ? AND state = 'done' "
                              "GROUP BY outcome"));
  outcomes.bind(sweep);
  while (true) {
    TACHO_TRY(found, outcomes.step());
    if (!found) break;
    const auto outcome = kOutcomes.parse(outcomes.text(0));
    if (!outcome.ok()) return database_.damaged();
    counts.outcomes[*outcome] = outcomes.integer(1);
    counts.run_seconds += outcomes.real(2);
  }
  return counts;
}

Result<std::vector<SweepTask>> SweepStore::tasks(std::int64_t sweep,
                                                 std::optional<SweepTaskState> state,
                                                 std::int64_t limit) {
  TACHO_TRY(statement,
            database_.prepare(fmt::format("SELECT {} FROM sweep_tasks WHERE sweep_id = ? {} ORDER "
                                          "BY position LIMIT ?",
                                          task_columns(), state ? "AND state = ?" : "")));
  statement.bind(sweep);
  if (state) statement.bind(kSweepTaskStates.of(*state));
  return read_tasks(database_, statement.bind(limit)).in(fmt::format("sweep {}", sweep));
}

Result<std::vector<SweepTask>> SweepStore::tasks_that_ended(std::int64_t sweep, Outcome outcome) {
  TACHO_TRY(statement,
            database_.prepare(fmt::format(
                "SELECT {} FROM sweep_tasks WHERE sweep_id = ? AND state = 'done' AND result_key "
                "IN (SELECT key FROM runs WHERE outcome = ?) ORDER BY position",
                task_columns())));
  statement.bind(sweep).bind(kOutcomes.of(outcome));
  return read_tasks(database_, statement).in(fmt::format("sweep {}", sweep));
}

Result<std::map<std::string, RunRow>> SweepStore::results(std::int64_t sweep) {
  const auto snapshot = Transaction::begin(database_, Transaction::Kind::read);
  if (!snapshot.ok()) return snapshot.error();
  TACHO_TRY(statement, database_.prepare("SELECT id FROM sweep_tasks JOIN runs ON key = result_key "
                                         "WHERE sweep_id = ? AND state = 'done'"));
  statement.bind(sweep);
  std::vector<std::int64_t> ids;
  while (true) {
    TACHO_TRY(found, statement.step());
    if (!found) break;
    ids.push_back(statement.integer(0));
  }
  TACHO_TRY(rows, read_rows(database_, ids));
  std::map<std::string, RunRow> by_key;
  for (RunRow& row : rows) {
    const std::string key = row.key;
    by_key.emplace(key, std::move(row));
  }
  return by_key;
}

Result<SweepStore::Batch> SweepStore::begin_batch(std::int64_t sweep,
                                                  std::span<const std::int64_t> positions) {
  TACHO_TRY(transaction, Transaction::begin(database_, Transaction::Kind::write));
  TACHO_TRY(number, database_.prepare("UPDATE sweeps SET batches = batches + 1 WHERE id = ? "
                                      "RETURNING key || '-' || batches"));
  TACHO_TRY(named, number.bind(sweep).step());
  if (!named) broken_invariant("a batch of an unknown sweep");
  Batch batch{.name = number.text(0)};
  number.reset();
  TACHO_TRY(update,
            database_.prepare("UPDATE sweep_tasks SET state = 'submitted', batch = ?, run_key = ?, "
                              "attempt = attempt + 1 WHERE sweep_id = ? AND position = ? AND "
                              "state = 'waiting'"));
  for (const std::int64_t position : positions) {
    batch.run_keys.push_back(fmt::format("{}-{}", batch.name, position));
    update.reset();
    TACHO_CHECK(
        update.bind(batch.name).bind(batch.run_keys.back()).bind(sweep).bind(position).run());
    if (database_.changes() != 1) broken_invariant("an attempt of a task that is not waiting");
  }
  TACHO_CHECK(transaction.commit());
  return batch;
}

Result<std::vector<std::string>> SweepStore::finish(std::int64_t sweep,
                                                    std::span<const TaskResult> results) {
  std::vector<std::string> replaced;
  TACHO_TRY(transaction, Transaction::begin(database_, Transaction::Kind::write));
  TACHO_TRY(old, database_.prepare("SELECT result_key FROM sweep_tasks WHERE sweep_id = ? AND "
                                   "position = ? AND run_key = ? AND state = 'submitted'"));
  TACHO_TRY(update, database_.prepare("UPDATE sweep_tasks SET state = 'done', batch = '', "
                                      "run_key = NULL, result_key = ? WHERE sweep_id = ? AND "
                                      "position = ?"));
  for (const TaskResult& result : results) {
    const std::string& key = result.record.order.key;
    old.reset();
    TACHO_TRY(is_current, old.bind(sweep).bind(result.position).bind(key).step());
    if (!is_current) continue;
    if (!old.is_null(0)) {
      replaced.push_back(old.text(0));
      TACHO_CHECK(remove_run(database_, replaced.back()));
    }
    old.reset();
    TACHO_CHECK(put_run(database_, result.record, result.folder));
    update.reset();
    TACHO_CHECK(update.bind(key).bind(sweep).bind(result.position).run());
  }
  TACHO_CHECK(transaction.commit());
  return replaced;
}

Result<void> SweepStore::put_back(std::int64_t sweep, std::int64_t position,
                                  const std::string& run_key, const std::string& reason,
                                  bool counts) {
  TACHO_TRY(update,
            database_.prepare("UPDATE sweep_tasks SET state = 'waiting', batch = '', run_key = "
                              "NULL, attempt = max(0, attempt - ?), reason = ? WHERE sweep_id = ? "
                              "AND position = ? AND run_key = ? AND state = 'submitted'"));
  return update.bind(std::int64_t{counts ? 0 : 1})
      .bind(reason)
      .bind(sweep)
      .bind(position)
      .bind(run_key)
      .run();
}

Result<void> SweepStore::skip(std::int64_t sweep, std::span<const Skip> skips) {
  TACHO_TRY(transaction, Transaction::begin(database_, Transaction::Kind::write));
  TACHO_TRY(update, database_.prepare("UPDATE sweep_tasks SET state = 'skipped', reason = ? WHERE "
                                      "sweep_id = ? AND position = ? AND state = 'waiting'"));
  for (const Skip& skip : skips) {
    update.reset();
    TACHO_CHECK(update.bind(skip.reason).bind(sweep).bind(skip.position).run());
  }
  return transaction.commit();
}

Result<bool> SweepStore::is_cancelled(std::int64_t sweep) {
  TACHO_TRY(statement, database_.prepare("SELECT state FROM sweeps WHERE id = ?"));
  TACHO_TRY(found, statement.bind(sweep).step());
  return !found || statement.text(0) == kSweepStates.of(SweepState::cancelled);
}

Result<void> SweepStore::cancel_rest(std::int64_t sweep) {
  TACHO_TRY(update, database_.prepare("UPDATE sweep_tasks SET state = 'cancelled', batch = '', "
                                      "run_key = NULL, reason = 'the sweep was cancelled' WHERE "
                                      "sweep_id = ? AND state IN ('waiting', 'submitted')"));
  return update.bind(sweep).run();
}

Result<void> SweepStore::reopen(std::int64_t sweep) {
  TACHO_TRY(transaction, Transaction::begin(database_, Transaction::Kind::write));
  TACHO_TRY(update,
            database_.prepare("UPDATE sweep_tasks SET state = 'waiting', attempt = 0, reason = '' "
                              "WHERE sweep_id = ? AND state = 'cancelled'"));
  TACHO_CHECK(update.bind(sweep).run());
  TACHO_CHECK(set_state(sweep, SweepState::open));
  return transaction.commit();
}

Result<std::int64_t> SweepStore::retry_failed(std::int64_t sweep) {
  TACHO_TRY(transaction, Transaction::begin(database_, Transaction::Kind::write));
  TACHO_TRY(update,
            database_.prepare(
                "UPDATE sweep_tasks SET state = 'waiting', attempt = 0, reason = '' WHERE sweep_id "
                "= ? AND (state = 'cancelled' OR (state = 'done' AND result_key IN (SELECT key "
                "FROM runs WHERE outcome IN ('failed', 'timed_out', 'cancelled'))))"));
  TACHO_CHECK(update.bind(sweep).run());
  const std::int64_t again = database_.changes();
  if (again > 0) {
    TACHO_TRY(open, database_.prepare("UPDATE sweeps SET state = 'open' WHERE id = ?"));
    TACHO_CHECK(open.bind(sweep).run());
  }
  TACHO_CHECK(transaction.commit());
  return again;
}

}  // namespace tacho
