#pragma once

#include "base/result.h"
#include "core/store/run_store.h"
#include "experiments/exchange/portable_run.h"

namespace tacho {

// Reads everything that a stored run logged, from its folder: figures of a watched program by their
// names; of a training, train/loss and the like at each step, epoch/… and eval/… at the last step
// of each epoch.
Result<PortableRun> portable_run(const StoredRun& run);

}  // namespace tacho
