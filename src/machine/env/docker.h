#pragma once

#include "machine/env/container_engine.h"

namespace tacho {

// Docker with the daemon at $DOCKER_HOST, or that of this machine.
class Docker final : public ContainerEngine {
 public:
  using ContainerEngine::ContainerEngine;

 private:
  [[nodiscard]] std::vector<std::string> program() const override { return {"docker"}; }
  [[nodiscard]] std::string how_to_install() const override;
  [[nodiscard]] Result<void> check_engine() const override;
  [[nodiscard]] std::string version_format() const override { return "{{.Server.Version}}"; }
  [[nodiscard]] std::vector<std::string> run_options() const override;
  [[nodiscard]] std::vector<std::string> remove_options() const override {
    return {"rm", "--force"};
  }
};

}  // namespace tacho
