#pragma once

#include <mutex>
#include <optional>

#include "http/message.h"
#include "serve/answer.h"
#include "store/run_store.h"

namespace tacho::serve {

// The container engines of this machine, and the comparisons of environments with each other.
// Asking the engines takes a while, so their last answers are kept.
class Environments {
 public:
  // GET /api/v1/environments: the last answers, or the first ones.
  Answer last(const http::Request& request, RunStore& store);
  // POST /api/v1/environments: asks the engines again.
  Answer again(const http::Request& request, RunStore& store);

 private:
  Answer shown(RunStore& store, bool ask_again);

  std::mutex mutex_;  // who asks meanwhile waits for the same look
  std::optional<Json> engines_;
};

// GET /api/v1/memory: the newest runs whose memory traffic was measured, with the ceiling it is
// held against in their reports.
Answer memory_runs(const http::Request& request, RunStore& store);

}  // namespace tacho::serve
