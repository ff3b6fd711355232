#pragma once

#include "http/message.h"
#include "serve/answer.h"
#include "store/run_store.h"

namespace tacho::serve {

// GET /api/v1/compare: groups of stored runs against the first of them, with intervals and words,
// and every group's curves with the spread of its runs.
Answer compare_runs(const http::Request& request, RunStore& store);

// GET /api/v1/comparisons and …/{comparison}: what `tacho compare` has kept.
Answer list_comparisons(const http::Request& request, RunStore& store);
Answer one_comparison(const http::Request& request, RunStore& store);

}  // namespace tacho::serve
