#pragma once

#include "machine/env/local_environment.h"

namespace tacho {

// ch-run: user namespaces and a folder, nothing else. Binds are writable, the image is not.
class Charliecloud final : public LocalEnvironment {
 public:
  using LocalEnvironment::LocalEnvironment;
  [[nodiscard]] Result<std::string> version() const override;
  [[nodiscard]] std::vector<std::string> images() const override;
  [[nodiscard]] Result<void> check() const override;
  [[nodiscard]] Result<EnvironmentFacts> describe() const override;
  // Creates missing mount points for binds in the image's folder: ch-run can do so only in a
  // writable image.
  [[nodiscard]] Result<Command> wrap(const Command& command,
                                     const ContainerSpec& container) const override;

 private:
  // Returns the image's folder, given by path or by a name of own_images() or of ch-image's
  // storage.
  [[nodiscard]] Result<std::filesystem::path> image_folder() const;
};

}  // namespace tacho
