#pragma once

#include "base/json_object.h"
#include "tracing/report/run_findings.h"

namespace tacho {

// The whole report as JSON; docs/report.md lists its keys. Keys are added, never changed.
Json json_report(const RunFindings& run);

}  // namespace tacho
