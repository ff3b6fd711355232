#pragma once

#include <string>

#include "base/terminal.h"
#include "report/run_findings.h"

namespace tacho {

// For a terminal: first one screen that says how fast the run is, where a step's time goes and what
// to change, then the tables. Never wider than 80 columns but for names in last columns.
std::string text_report(const RunFindings& run, const Terminal& terminal);

// What the run is, in one line: "mnist-cnn on fashion-mnist, batch 64", or a command.
std::string run_title(const RunRecord& record);

}  // namespace tacho
