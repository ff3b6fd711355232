#pragma once

#include "core/store/run_store.h"
#include "serving/dashboard/answer.h"
#include "serving/http/message.h"

namespace tacho::serve {

// GET /api/v1/compare: compares groups of stored runs with the first group, with intervals and a
// summary, and returns each group's curves with the spread of its runs.
Answer compare_runs(const http::Request& request, RunStore& store);

// GET /api/v1/comparisons and …/{comparison}: the comparisons that `tacho compare` stored.
Answer list_comparisons(const http::Request& request, RunStore& store);
Answer one_comparison(const http::Request& request, RunStore& store);

}  // namespace tacho::serve
