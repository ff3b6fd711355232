#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/terminal.h"
#include "record/ledger_entry.h"

namespace tacho {

// How good past predictions were, of one figure, model and machine; "all" stands for every one.
struct LedgerScore {
  std::string metric;
  std::string model;
  std::string machine;
  std::size_t made = 0;
  std::size_t measured = 0;
  std::size_t failed = 0;  // runs that ended otherwise than well
  // Of the measured ones. Errors are relative, except for accuracies, whose are absolute.
  double median_error = 0;
  double mean_error = 0;
  double bias = 0;      // median of predicted over measured, less 1; for accuracies the difference
  double coverage = 0;  // of the 90 % intervals
};

// One score for each figure, model and machine that occur, and for each figure one over all.
std::vector<LedgerScore> ledger_scores(std::span<const LedgerEntry> predictions);

Json to_json(const std::vector<LedgerScore>& scores);
std::string ledger_text(const std::vector<LedgerScore>& scores, const Terminal& terminal);

}  // namespace tacho
