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
  // What a run's folder tells, all of it read once: a trace of millions of kernels takes seconds.
  struct Opened {
    RunFindings findings;
    std::vector<ProcessTimeline> timelines;  // one for each process that left a trace
  };
  Result<Shelf<Opened>::Item> open(RunStore& store, const std::string& handle);

  Shelf<Opened> opened_{3};
};

}  // namespace tacho::serve
