#pragma once

#include <filesystem>

#include "http/message.h"
#include "serve/answer.h"
#include "serve/foreteller.h"
#include "store/run_store.h"

namespace tacho::serve {

// POST /api/v1/predict
Answer predicted(const http::Request& request, const Foreteller* foreteller);
// POST /api/v1/recommend: what a wish in JSON is answered with, or the same as CSV.
Answer recommended(const http::Request& request, const Foreteller* foreteller, RunStore& store);

// Another text whenever a file outside of the store that recommendations depend on has changed.
std::string forecast_state(const std::filesystem::path& home);

// GET /api/v1/ledger: predictions, what was measured, and how good they were. `settle`: adds what
// was measured since.
Answer ledger(const http::Request& request, const std::filesystem::path& home, bool settle);

// GET /api/v1/instances: machines one can rent, and their prices.
Answer instances(const http::Request& request, const std::filesystem::path& home);

struct AskedRecommendation {
  Wish wish;
  InstanceFilter filter;
};
// Strict: unknown keys and what makes no sense are errors that name the key.
Result<AskedRecommendation> read_wish(const Json& json);

}  // namespace tacho::serve
