#pragma once

#include <string>

#include "base/terminal.h"
#include "core/record/run_record.h"

namespace tacho {

// Prints a finished run: a table by epoch, times and memory.
std::string run_report(std::int64_t id, const RunRecord& record, const Terminal& terminal);

}  // namespace tacho
