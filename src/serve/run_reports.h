#pragma once

#include <string>
#include <vector>

#include "http/message.h"
#include "report/run_findings.h"
#include "serve/answer.h"
#include "serve/run_timeline.h"
#include "serve/shelf.h"
#include "store/run_store.h"

namespace tacho::serve {

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
  Shelf<std::vector<ProcessTimeline>> timelines_{2};
};

}  // namespace tacho::serve
