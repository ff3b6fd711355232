#pragma once

#include <filesystem>

#include "serving/dashboard/prediction_service.h"

namespace tacho {

// Answers 'tacho predict' and 'tacho recommend' for the dashboard.
class DashboardPredictions final : public serve::PredictionService {
 public:
  explicit DashboardPredictions(std::filesystem::path home) : home_(std::move(home)) {}

  [[nodiscard]] Result<Json> predict(const Json& job, RunStore& store) const override;
  [[nodiscard]] Result<Json> predict_training(const Json& training, RunStore& store) const override;
  [[nodiscard]] Result<Recommendation> recommend(const Requirements& requirements,
                                                 const InstanceFilter& filter,
                                                 RunStore& store) const override;

 private:
  std::filesystem::path home_;
};

}  // namespace tacho
