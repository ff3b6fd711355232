#pragma once

#include "machine/env/image_maker.h"

namespace tacho {

// Builds an image for apptainer, singularity or charliecloud: a folder, which apptainer packs into
// one file. The image is kept among own_images().
class FolderImage final : public ImageMaker {
 public:
  FolderImage(EnvironmentKind kind, std::filesystem::path home, std::filesystem::path scratch,
              const BuildWatch& watch)
      : kind_(kind), home_(std::move(home)), scratch_(std::move(scratch)), watch_(watch) {}

  [[nodiscard]] Result<void> check() const override;
  Result<std::string> make(const ImageParts& parts) override;
  Result<void> keep(const std::string& name) override;
  void clean_up() override {}  // everything is in the scratch folder
  [[nodiscard]] Bytes size(const std::string& name) const override;

 private:
  Result<void> fill(const std::filesystem::path& root, const ImageParts& parts);

  EnvironmentKind kind_;
  std::filesystem::path home_;
  std::filesystem::path scratch_;
  const BuildWatch& watch_;
  std::filesystem::path made_;
};

// Returns the command that unpacks an archive into a folder, as root or not.
Command unpack_command(const std::filesystem::path& archive, const std::filesystem::path& root,
                       bool as_root);
// Returns the command by which the engine unpacks a named image into a folder.
Command fetch_command(EnvironmentKind kind, const std::string& name,
                      const std::filesystem::path& root);

}  // namespace tacho
