#pragma once

#include <string>
#include <vector>

#include "learn/curve.h"
#include "record/ledger_entry.h"
#include "record/run_folder.h"

namespace tacho {

// What known curves of the same task say of a run that is about to begin: its accuracy after the
// last epoch. Empty where that cannot be known. `machine` and `now` are noted with it.
std::vector<LedgerEntry> foretell(const RunOrder& order, const std::vector<Curve>& known,
                                  const std::string& machine, double now);

}  // namespace tacho
