#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "base/result.h"
#include "core/record/ledger_entry.h"
#include "core/store/sqlite.h"

namespace tacho {

// The predictions in the store's file. A prediction is written once, before its run, and never
// changed. The measured value is added when the run has ended, and is kept if the run is removed.
class Ledger {
 public:
  // Opens the file of a RunStore, creating or migrating it.
  static Result<Ledger> open(const std::filesystem::path& file);

  // Stores all or none. A metric of a run is predicted once: a second prediction of it is dropped.
  Result<void> put(std::span<const LedgerEntry> predictions);

  // Adds the measured values of all runs that have ended.
  Result<void> settle();

  // Returns all entries, the oldest first.
  Result<std::vector<LedgerEntry>> all();

 private:
  explicit Ledger(Database database) : database_(std::move(database)) {}

  Database database_;
};

}  // namespace tacho
