#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/run_predictor.h"
#include "learn/curve.h"
#include "record/ledger_entry.h"
#include "record/run_folder.h"

namespace tacho {

// When and where something is foretold.
struct Foretelling {
  std::string machine;
  double now = 0;
};

// What known curves of the same task say of a run that is about to begin: its accuracy after the
// last epoch. Empty where that cannot be known.
std::vector<LedgerEntry> foretell(const RunOrder& order, const std::vector<Curve>& known,
                                  const Foretelling& when);

// What runs made here say of its step, its memory and its whole time.
std::vector<LedgerEntry> foretell(const RunOrder& order, const OwnForecast& forecast,
                                  const Foretelling& when);

}  // namespace tacho
