#pragma once

#include "env/local_environment.h"

namespace tacho {

// Apptainer, or Singularity from which it comes: the same words under another name. An image is a
// SIF file or a folder.
class Apptainer final : public LocalEnvironment {
 public:
  using LocalEnvironment::LocalEnvironment;
  [[nodiscard]] Result<std::string> version() const override;
  // Those Tacho has built: it keeps none itself.
  [[nodiscard]] std::vector<std::string> images() const override;
  [[nodiscard]] Result<void> check() const override;
  [[nodiscard]] Result<EnvironmentFacts> describe() const override;
  [[nodiscard]] Result<Command> wrap(const Command& command, const Stay& stay) const override;
  [[nodiscard]] Ending ending(const std::string& key, ExitStatus client) const override;

 private:
  // The image's file or folder: named itself, or by a name among own_images().
  [[nodiscard]] Result<std::filesystem::path> image_place() const;
};

}  // namespace tacho
