#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/terminal.h"
#include "core/record/ledger_entry.h"

namespace tacho {

// Errors of past predictions of one metric, model and machine; "all" means every one.
struct LedgerScore {
  std::string metric;
  std::string model;
  std::string machine;
  std::size_t made = 0;
  std::size_t measured = 0;
  std::size_t failed = 0;  // runs that did not succeed
  // For the measured ones. Errors are relative, for accuracies absolute.
  double median_error = 0;
  double mean_error = 0;
  double bias = 0;      // median of predicted over measured, minus 1; for accuracies the difference
  double coverage = 0;  // of the 90 % intervals
};

// Returns one score per metric, model and machine, and one per metric over all.
std::vector<LedgerScore> ledger_scores(std::span<const LedgerEntry> predictions);

Json to_json(const std::vector<LedgerScore>& scores);
std::string ledger_text(const std::vector<LedgerScore>& scores, const Terminal& terminal);

}  // namespace tacho
