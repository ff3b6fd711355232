#pragma once

#include <filesystem>

#include "core/store/run_store.h"
#include "serving/dashboard/answer.h"
#include "serving/dashboard/prediction_service.h"
#include "serving/http/message.h"

namespace tacho::serve {

// POST /api/v1/predict
Answer predicted(const http::Request& request, const PredictionService* predictions,
                 RunStore& store);
// POST /api/v1/predict/training
Answer training_predicted(const http::Request& request, const PredictionService* predictions,
                          RunStore& store);
// POST /api/v1/recommend: the recommendation as JSON or CSV.
Answer recommended(const http::Request& request, const PredictionService* predictions,
                   RunStore& store);

// Changes whenever a file outside of the store that slow predictions depend on changes.
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
