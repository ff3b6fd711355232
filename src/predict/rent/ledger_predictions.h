#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/record/ledger_entry.h"
#include "core/record/run_folder.h"
#include "predict/accuracy/curve.h"
#include "predict/rent/run_predictor.h"

namespace tacho {

// The machine and time of a prediction.
struct PredictionContext {
  std::string machine;
  double now = 0;
};

// Predicts the accuracy after the last epoch of a run that is about to start, from known curves of
// the same task. Empty if it abstains.
std::vector<LedgerEntry> ledger_entries(const RunOrder& order, const std::vector<Curve>& known,
                                        const PredictionContext& when);

// Returns the predictions of step, memory and total time as ledger entries.
std::vector<LedgerEntry> ledger_entries(const RunOrder& order, const OwnPrediction& prediction,
                                        const PredictionContext& when);

}  // namespace tacho
