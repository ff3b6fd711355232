#pragma once

#include <string>
#include <vector>

#include "http/message.h"
#include "report/run_findings.h"
#include "serve/answer.h"
#include "serve/shelf.h"
#include "store/run_store.h"
#include "tracefile/gpu_trace.h"

namespace tacho::serve {

// The traces of a run with what was found in them.
struct RunTraces {
  std::vector<GpuTrace> traces;
  std::vector<FoundSteps> steps;  // of each
};

// Reports, differences and timelines of runs.
class RunReports {
 public:
  // GET /api/v1/runs/{run}/report, as JSON or as one HTML page to keep.
  Answer report(const http::Request& request, RunStore& store);
  // GET /api/v1/diff: where the time of two runs differs.
  Answer difference(const http::Request& request, RunStore& store);
  // GET …/timeline: kernels, copies, calls and ranges between two moments, in as much detail as so
  // many columns of a screen can show.
  Answer timeline(const http::Request& request, RunStore& store);

 private:
  Result<Shelf<RunFindings>::Item> findings(RunStore& store, const std::string& handle);

  Shelf<RunFindings> findings_{8};
  Shelf<RunTraces> traces_{2};
};

}  // namespace tacho::serve
