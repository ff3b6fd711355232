#pragma once

#include <filesystem>

#include "serve/foreteller.h"

namespace tacho {

// What 'tacho predict' and 'tacho recommend' answer, for the dashboard.
class DashboardForeteller final : public serve::Foreteller {
 public:
  explicit DashboardForeteller(std::filesystem::path home) : home_(std::move(home)) {}

  [[nodiscard]] Result<Json> predict(const Json& job) const override;
  [[nodiscard]] Result<Recommendation> recommend(const Wish& wish, const InstanceFilter& filter,
                                                 RunStore& store) const override;

 private:
  std::filesystem::path home_;
};

}  // namespace tacho
