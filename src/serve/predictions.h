#pragma once

#include <filesystem>

#include "http/message.h"
#include "serve/answer.h"
#include "serve/prediction_service.h"
#include "store/run_store.h"

namespace tacho::serve {

// POST /api/v1/predict
Answer predicted(const http::Request& request, const PredictionService* predictions);
// POST /api/v1/recommend: the recommendation as JSON or CSV.
Answer recommended(const http::Request& request, const PredictionService* predictions,
                   RunStore& store);

// Changes whenever a file outside of the store that recommendations depend on changes.
std::string prediction_state(const std::filesystem::path& home);

// GET /api/v1/ledger: predictions with the measured values and their scores. `settle` adds what was
// measured since.
Answer ledger(const http::Request& request, const std::filesystem::path& home, bool settle);

// GET /api/v1/instances: instances and their prices.
Answer instances(const http::Request& request, const std::filesystem::path& home);

struct RecommendationRequest {
  Requirements requirements;
  InstanceFilter filter;
};
// Unknown keys and invalid values are errors that name the key.
Result<RecommendationRequest> read_recommendation_request(const Json& json);

}  // namespace tacho::serve
