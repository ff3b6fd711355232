#pragma once

#include "env/image_maker.h"

namespace tacho {

// An image of apptainer, singularity or charliecloud: a folder is put together, of which apptainer
// makes one file. Kept among own_images().
class FolderImage final : public ImageMaker {
 public:
  FolderImage(EnvironmentKind kind, std::filesystem::path home, std::filesystem::path scratch,
              const BuildWatch& watch)
      : kind_(kind), home_(std::move(home)), scratch_(std::move(scratch)), watch_(watch) {}

  [[nodiscard]] Result<void> check() const override;
  Result<std::string> make(const ImageParts& parts) override;
  Result<void> keep(const std::string& name) override;
  void clear_up() override {}  // all of it lies in the scratch folder
  [[nodiscard]] Bytes size(const std::string& name) const override;

 private:
  Result<void> fill(const std::filesystem::path& root, const ImageParts& parts);

  EnvironmentKind kind_;
  std::filesystem::path home_;
  std::filesystem::path scratch_;
  const BuildWatch& watch_;
  std::filesystem::path made_;
};

// How an archive is unpacked into a folder, as root or not.
Command unpack_command(const std::filesystem::path& archive, const std::filesystem::path& root,
                       bool as_root);
// How the engine makes a folder of an image it knows.
Command fetch_command(EnvironmentKind kind, const std::string& name,
                      const std::filesystem::path& root);

}  // namespace tacho
