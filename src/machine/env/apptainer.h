#pragma once

#include "machine/env/local_environment.h"

namespace tacho {

// Apptainer or Singularity: the same command line under two names. An image is a SIF file or a
// folder.
class Apptainer final : public LocalEnvironment {
 public:
  using LocalEnvironment::LocalEnvironment;
  [[nodiscard]] Result<std::string> version() const override;
  // Returns the images built by Tacho: the engine has no list of its own.
  [[nodiscard]] std::vector<std::string> images() const override;
  [[nodiscard]] Result<void> check() const override;
  [[nodiscard]] Result<EnvironmentFacts> describe() const override;
  [[nodiscard]] Result<Command> wrap(const Command& command,
                                     const ContainerSpec& container) const override;
  [[nodiscard]] Ending ending(const std::string& key, ExitStatus client) const override;

 private:
  // Returns the image's file or folder, given by path or by a name of own_images().
  [[nodiscard]] Result<std::filesystem::path> image_place() const;
};

}  // namespace tacho
