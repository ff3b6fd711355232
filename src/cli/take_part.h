#pragma once

#include <cstdint>
#include <string>

#include "cli/context.h"
#include "core/record/run_folder.h"
#include "experiments/runner/launch.h"

namespace tacho {

// Executes `tacho train` for ranks other than 0: no record is kept here.
Result<int> take_part(const RunOrder& order, const Standing& standing, std::int64_t max_restarts,
                      const Context& context);

// "rank 1 of 2: its part of the record is with rank 0 on node1"
std::string part_line(const Launch& launch);

}  // namespace tacho
