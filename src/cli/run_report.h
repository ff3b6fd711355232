#pragma once

#include <string>

#include "base/terminal.h"
#include "record/run_record.h"

namespace tacho {

// A finished run for a person: the table by epoch and what it took.
std::string run_report(std::int64_t id, const RunRecord& record, const Terminal& terminal);

}  // namespace tacho
