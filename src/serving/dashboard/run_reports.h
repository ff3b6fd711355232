#pragma once

#include <string>
#include <vector>

#include "core/store/run_store.h"
#include "serving/dashboard/answer.h"
#include "serving/dashboard/run_timeline.h"
#include "serving/dashboard/single_flight_cache.h"
#include "serving/http/message.h"
#include "tracing/report/run_findings.h"

namespace tacho::serve {

class RunReports {
 public:
  // GET /api/v1/runs/{run}/report, as JSON or as a single HTML page to save.
  Answer report(const http::Request& request, RunStore& store);
  // GET /api/v1/diff: where the time of two runs differs.
  Answer difference(const http::Request& request, RunStore& store);
  // GET …/timeline: kernels, copies, calls and ranges between two times, in as much detail as the
  // requested number of columns can show.
  Answer timeline(const http::Request& request, RunStore& store);

 private:
  // The contents of a run's folder, read once: a trace of millions of kernels takes seconds.
  struct Opened {
    RunFindings findings;
    std::vector<ProcessTimeline> timelines;  // one per process with a trace
  };
  Result<SingleFlightCache<Opened>::Item> open(RunStore& store, const std::string& handle);

  SingleFlightCache<Opened> opened_{3};
};

}  // namespace tacho::serve
