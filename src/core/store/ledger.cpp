#include "core/store/ledger.h"

#include <fmt/format.h>

#include "core/record/metric.h"
#include "core/store/run_store.h"

namespace tacho {

Result<Ledger> Ledger::open(const std::filesystem::path& file) {
  TACHO_TRY(database, open_store_file(file));
  return Ledger(std::move(database));
}

Result<void> Ledger::put(std::span<const LedgerEntry> predictions) {
  for (const LedgerEntry& one : predictions) {
    TACHO_CHECK(find_metric(one.metric));
    const Estimate& p = one.predicted;
    if (!(p.low <= p.value && p.value <= p.high)) {
      return Error{ErrorCode::invalid,
                   fmt::format("a prediction of {} is outside its own interval", one.metric)};
    }
  }
  TACHO_TRY(transaction, Transaction::begin(database_, Transaction::Kind::write));
  TACHO_TRY(statement,
            database_.prepare("INSERT OR IGNORE INTO predictions (run_key, metric, made_at, model, "
                              "data, machine, basis, value, low, high) VALUES (?, ?, ?, ?, ?, ?, "
                              "?, ?, ?, ?)"));
  for (const LedgerEntry& one : predictions) {
    statement.reset();
    TACHO_CHECK(statement.bind(one.run_key)
                    .bind(one.metric)
                    .bind(one.made_at)
                    .bind(one.model)
                    .bind(one.data)
                    .bind(one.machine)
                    .bind(one.basis)
                    .bind(one.predicted.value)
                    .bind(one.predicted.low)
                    .bind(one.predicted.high)
                    .run());
  }
  return transaction.commit();
}

Result<void> Ledger::settle() {
  TACHO_TRY(open, database_.integer("SELECT count(*) FROM predictions WHERE outcome IS NULL"));
  // If the store is read-only, a later call settles them.
  if (open == 0 || database_.read_only()) return {};
  TACHO_TRY(transaction, Transaction::begin(database_, Transaction::Kind::write));
  for (const Metric& metric : metric::kAll) {
    // Metric keys are plain words (see migrations.cpp).
    TACHO_CHECK(database_.execute(
        fmt::format("UPDATE predictions SET outcome = runs.outcome, measured = CASE WHEN "
                    "runs.outcome = 'ok' THEN runs.{0} END FROM runs WHERE runs.key = run_key AND "
                    "metric = '{0}' AND predictions.outcome IS NULL AND runs.outcome <> 'running'",
                    metric.key)));
  }
  return transaction.commit();
}

Result<std::vector<LedgerEntry>> Ledger::all() {
  TACHO_TRY(statement,
            database_.prepare("SELECT run_key, metric, made_at, model, data, machine, basis, "
                              "value, low, high, outcome, measured FROM predictions ORDER BY id"));
  std::vector<LedgerEntry> predictions;
  while (true) {
    TACHO_TRY(found, statement.step());
    if (!found) return predictions;
    LedgerEntry one{.run_key = statement.text(0),
                    .metric = statement.text(1),
                    .made_at = statement.real(2),
                    .model = statement.text(3),
                    .data = statement.text(4),
                    .machine = statement.text(5),
                    .basis = statement.text(6),
                    .predicted = {statement.real(7), statement.real(8), statement.real(9)}};
    if (!statement.is_null(10)) one.outcome = statement.text(10);
    if (!statement.is_null(11)) one.measured = statement.real(11);
    predictions.push_back(std::move(one));
  }
}

}  // namespace tacho
