#pragma once

#include "machine/env/local_environment.h"

namespace tacho {

// The machine itself, with optional limits.
class Bare final : public LocalEnvironment {
 public:
  using LocalEnvironment::LocalEnvironment;
  [[nodiscard]] Result<std::string> version() const override;
  [[nodiscard]] std::vector<std::string> images() const override { return {}; }
  [[nodiscard]] Result<void> check() const override;
  [[nodiscard]] Result<EnvironmentFacts> describe() const override;
  [[nodiscard]] Result<Command> wrap(const Command& command,
                                     const ContainerSpec& container) const override;
};

}  // namespace tacho
