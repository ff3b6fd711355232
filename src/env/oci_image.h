#pragma once

#include "env/image_maker.h"

namespace tacho {

// An image of podman or docker, by their own `build`: the base and Tacho's layer are a layer each.
class OciImage final : public ImageMaker {
 public:
  OciImage(EnvironmentKind kind, std::filesystem::path scratch, const BuildWatch& watch)
      : kind_(kind), scratch_(std::move(scratch)), watch_(watch) {}

  Result<std::string> make(const ImageParts& parts) override;
  Result<void> keep(const std::string& name) override;
  void clear_up() override;
  [[nodiscard]] Bytes size() const override;

 private:
  [[nodiscard]] std::string engine() const { return std::string(kEnvironmentKinds.of(kind_)); }

  EnvironmentKind kind_;
  std::filesystem::path scratch_;
  const BuildWatch& watch_;
  std::string id_;
};

// What the engine is told to do.
std::string dockerfile(const ImageBase& base);
Command oci_build_command(EnvironmentKind kind, const std::filesystem::path& context,
                          const std::filesystem::path& id_file);

}  // namespace tacho
