#pragma once

#include <string>

#include "report/run_findings.h"

namespace tacho {

// One file that opens offline: style and pictures are inside, nothing is fetched, nothing is run.
std::string html_report(const RunFindings& run);

}  // namespace tacho
