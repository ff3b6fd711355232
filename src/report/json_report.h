#pragma once

#include "base/json_object.h"
#include "report/run_findings.h"

namespace tacho {

// The whole report for programs; docs/report.md names its keys. Keys are only ever added.
Json json_report(const RunFindings& run);

}  // namespace tacho
