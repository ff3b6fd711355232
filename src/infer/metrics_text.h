#pragma once

#include <string>

#include "infer/batcher.h"
#include "infer/cache.h"
#include "infer/request_queue.h"

namespace tacho::infer {

struct ServerState {
  const ModelFacts* model = nullptr;  // nullptr while it is loading
  bool ready = false;
  RequestQueueCounts queue;
  BatchCounts batches;
  CacheCounts cache;
  std::string cache_kind;
};

// The Prometheus text format.
std::string metrics_text(const ServerState& state);

}  // namespace tacho::infer
