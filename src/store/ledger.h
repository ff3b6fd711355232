#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "base/result.h"
#include "record/ledger_entry.h"
#include "store/sqlite.h"

namespace tacho {

// Predictions, in the store's file. A prediction is written once, before its run, and never
// changed; what was measured is added when the run is over, and stays when the run is removed.
class Ledger {
 public:
  // The file of a RunStore, which makes or migrates it.
  static Result<Ledger> open(const std::filesystem::path& file);

  // All or none. A figure of a run is foretold once: a second prediction of it is dropped.
  Result<void> put(std::span<const LedgerEntry> predictions);

  // Adds what was measured of every run that is over.
  Result<void> settle();

  // The oldest first.
  Result<std::vector<LedgerEntry>> all();

 private:
  explicit Ledger(Database database) : database_(std::move(database)) {}

  Database database_;
};

}  // namespace tacho
