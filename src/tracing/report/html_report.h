#pragma once

#include <string>

#include "tracing/report/run_findings.h"

namespace tacho {

// Returns one page that works offline: styles and charts are inline, it loads nothing and has no
// scripts.
std::string html_report(const RunFindings& run);

}  // namespace tacho
