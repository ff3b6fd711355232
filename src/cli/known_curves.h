#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "learn/curve.h"
#include "store/run_store.h"

namespace tacho {

// The learning curves of this store's finished runs, the newest first, at most so many. Of one
// task, or of all where `model` is "".
Result<std::vector<Curve>> own_curves(RunStore& store, const std::string& model,
                                      const std::string& data, std::size_t most);

}  // namespace tacho
