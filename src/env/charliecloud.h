#pragma once

#include "env/local_environment.h"

namespace tacho {

// ch-run: user namespaces and a folder, nothing else. What is bound is writable, the image is not.
class Charliecloud final : public LocalEnvironment {
 public:
  using LocalEnvironment::LocalEnvironment;
  [[nodiscard]] Result<std::string> version() const override;
  [[nodiscard]] std::vector<std::string> images() const override;
  [[nodiscard]] Result<void> check() const override;
  [[nodiscard]] Result<EnvironmentFacts> describe() const override;
  // Makes mount points in the image's folder for what is bound, where they are missing: ch-run can
  // do so only in an image it may write to.
  [[nodiscard]] Result<Command> wrap(const Command& command, const Stay& stay) const override;

 private:
  // The image's folder: named itself, or by a name among own_images() or in ch-image's
  // storage.
  [[nodiscard]] Result<std::filesystem::path> image_folder() const;
};

}  // namespace tacho
