#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/store/run_store.h"
#include "predict/accuracy/curve.h"

namespace tacho {

// Returns the newest `most` successful runs of one model and dataset. Damaged records are skipped.
Result<std::vector<RunRecord>> own_records(RunStore& store, const std::string& model,
                                           const std::string& data, std::size_t most);

// Returns the learning curves of records with at least three epochs.
std::vector<Curve> curves_of(const std::vector<RunRecord>& records);

// Returns the learning curves of the newest `most` runs of one model and dataset; of all if `model`
// is empty.
Result<std::vector<Curve>> own_curves(RunStore& store, const std::string& model,
                                      const std::string& data, std::size_t most);

// Returns the learning curves and results that come with Tacho: its own of data/corpus, then
// published ones.
std::vector<Curve> shipped_curves();

}  // namespace tacho
