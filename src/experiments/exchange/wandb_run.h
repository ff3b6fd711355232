#pragma once

#include <string_view>

#include "experiments/exchange/portable_run.h"

namespace tacho {

// Reads a run of W&B from its .wandb file, as an offline run has it.
Result<PortableRun> read_wandb_run(std::string_view bytes);

}  // namespace tacho
