#pragma once

#include <string>

#include "base/terminal.h"
#include "tracing/report/run_findings.h"

namespace tacho {

// For a terminal: first one screen with the speed, the parts of a step and what to change, then the
// tables. At most 80 columns wide, except for names in last columns.
std::string text_report(const RunFindings& run, const Terminal& terminal);

// One line: "mnist-cnn on fashion-mnist, batch 64", or a watched program's command line.
std::string run_title(const RunRecord& record);

}  // namespace tacho
