#pragma once

#include <mutex>
#include <optional>

#include "http/message.h"
#include "serve/answer.h"
#include "store/run_store.h"

namespace tacho::serve {

// GET /api/v1/environments: the container engines of this machine, and the comparisons that hold
// environments against each other. Asking the engines takes a while, so the last look is kept until
// a fresh one is asked for.
class Environments {
 public:
  Answer shown(const http::Request& request, RunStore& store);

 private:
  std::mutex mutex_;  // who asks meanwhile waits for the same look
  std::optional<Json> engines_;
};

// GET /api/v1/memory: the newest runs whose memory traffic was measured, with the ceiling it is
// held against in their reports.
Answer memory_runs(const http::Request& request, RunStore& store);

}  // namespace tacho::serve
