#pragma once

#include <string>
#include <vector>

#include "http/message.h"
#include "report/run_findings.h"
#include "serve/answer.h"
#include "serve/run_timeline.h"
#include "serve/single_flight_cache.h"
#include "store/run_store.h"

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
