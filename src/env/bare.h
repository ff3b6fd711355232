#pragma once

#include "env/local_environment.h"

namespace tacho {

// No environment but the machine itself, and whatever limits are asked for.
class Bare final : public LocalEnvironment {
 public:
  using LocalEnvironment::LocalEnvironment;
  [[nodiscard]] Result<std::string> version() const override;
  [[nodiscard]] std::vector<std::string> images() const override { return {}; }
  [[nodiscard]] Result<void> check() const override;
  [[nodiscard]] Result<EnvironmentFacts> describe() const override;
  [[nodiscard]] Result<Command> wrap(const Command& command, const Stay& stay) const override;
};

}  // namespace tacho
