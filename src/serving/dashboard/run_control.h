#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/record/run_folder.h"
#include "core/record/run_options.h"
#include "serving/dashboard/answer.h"
#include "serving/dashboard/job_slots.h"
#include "serving/dashboard/store_pool.h"
#include "serving/http/message.h"

namespace tacho::serve {

// Starts, stops and ingests runs.
class RunControl {
 public:
  // `program`: the `tacho` executable. Runs are separate processes that outlive this one.
  RunControl(std::filesystem::path home, std::filesystem::path program, StorePool& stores,
             const JobSlots& slots)
      : home_(std::move(home)), program_(std::move(program)), stores_(stores), slots_(slots) {}

  // POST /api/v1/jobs: runs `tacho train` with the options of the request. Answers once the run is
  // in the store, or with the error of `tacho train`; 429 if all slots are taken.
  Answer start(const http::Request& request);
  // POST /api/v1/runs/{run}/cancel: sends SIGINT, also to a run that was started elsewhere on this
  // machine.
  Answer cancel(const http::Request& request);
  // POST /api/v1/runs/{run}/edit: name, project, tags, notes, archived.
  Answer edit(const http::Request& request);
  // POST /api/v1/runs/{run}/delete: removes the run and its folder.
  Answer remove(const http::Request& request);
  // POST /api/v1/runs: reads the folder of a run under the home again.
  Answer ingest(const http::Request& request);
  // Sets the outcome of runs whose `tacho` died, from their folders.
  Result<void> reconcile();

 private:
  std::filesystem::path home_;
  std::filesystem::path program_;
  StorePool& stores_;
  const JobSlots& slots_;
};

// The options of a request. Unknown keys, and those that name files of this machine, are errors.
Result<RunSettings> settings_from_json(const Json& json);
// Those options as properties of a JSON schema, for the API description.
Json job_properties();

}  // namespace tacho::serve
