#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "serving/infer/batcher.h"
#include "serving/infer/cache.h"
#include "serving/infer/generator.h"
#include "serving/infer/request_queue.h"

namespace tacho::infer {

struct ServerState {
  const ModelFacts* model = nullptr;  // nullptr while it is loading
  bool ready = false;
  RequestQueueCounts queue;
  BatchCounts batches;
  CacheCounts cache;
  std::string cache_kind;
  std::optional<GeneratorCounts> generator = {};  // of a language model; replaces those above
  std::uint64_t refused = 0;                      // requests for completions
};

// The Prometheus text format.
std::string metrics_text(const ServerState& state);

}  // namespace tacho::infer
