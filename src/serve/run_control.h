#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/message.h"
#include "record/run_folder.h"
#include "serve/answer.h"
#include "serve/job_slots.h"
#include "serve/store_pool.h"

namespace tacho::serve {

// Starts, stops and takes in runs.
class RunControl {
 public:
  // `program`: the tacho that trains, in a process of its own, which outlives this one.
  RunControl(std::filesystem::path home, std::filesystem::path program, StorePool& stores,
             const JobSlots& slots)
      : home_(std::move(home)), program_(std::move(program)), stores_(stores), slots_(slots) {}

  // POST /api/v1/jobs: `tacho train` with the words of the request. Answers once the run is in the
  // store, or with what `tacho train` complained of. 429 where all slots are taken.
  Answer start(const http::Request& request);
  // POST /api/v1/runs/{run}/cancel: as Ctrl-C does it, whoever started the run on this machine.
  Answer cancel(const http::Request& request);
  // POST /api/v1/runs: reads a run's folder within the home folder again.
  Answer ingest(const http::Request& request);
  // Gives runs whose tacho is gone the end that their folder tells of.
  Result<void> settle();

 private:
  std::filesystem::path home_;
  std::filesystem::path program_;
  StorePool& stores_;
  const JobSlots& slots_;
};

// The words of `tacho train` that a request's JSON asks for. Every value is one word behind its
// option's "=", so none can be taken for another option. Unknown keys are errors.
Result<std::vector<std::string>> train_words(const Json& json);

// The processes on this machine that keep a run's folder locked, the one that started the others
// first.
std::vector<int> processes_at_work(const RunFolder& folder);

}  // namespace tacho::serve
