#pragma once

#include <string>

#include "infer/batcher.h"
#include "infer/cache.h"
#include "infer/desk.h"

namespace tacho::infer {

struct Standing {
  const ModelFacts* model = nullptr;  // nullptr: it is being loaded
  bool ready = false;
  DeskCounts desk;
  BatchCounts batches;
  CacheCounts cache;
  std::string cache_kind;
};

// The text that Prometheus reads.
std::string metrics_text(const Standing& standing);

}  // namespace tacho::infer
