#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "learn/curve.h"
#include "store/run_store.h"

namespace tacho {

// The newest `most` runs of the store that ended well, of one model and dataset. One damaged
// record does not hide the others.
Result<std::vector<RunRecord>> own_records(RunStore& store, const std::string& model,
                                           const std::string& data, std::size_t most);

// The learning curves of those that have three epochs or more.
std::vector<Curve> curves_of(const std::vector<RunRecord>& records);

// Learning curves of the newest `most` runs, of one model and dataset, or of all where model is
// empty.
Result<std::vector<Curve>> own_curves(RunStore& store, const std::string& model,
                                      const std::string& data, std::size_t most);

}  // namespace tacho
