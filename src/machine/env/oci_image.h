#pragma once

#include "machine/env/image_maker.h"

namespace tacho {

// Builds an image for podman or docker. With an archive as base, the image is assembled here in the
// format of `save` and loaded: both engines then have the same image with the same digest, for
// every build. With a named base, a container is created, filled and committed. Neither needs a
// builder, which would leave unfinished containers and layers if it is interrupted.
class OciImage final : public ImageMaker {
 public:
  OciImage(EnvironmentKind kind, const std::filesystem::path& home, std::filesystem::path scratch,
           const BuildWatch& watch);

  Result<std::string> make(const ImageParts& parts) override;
  Result<void> keep(const std::string& name) override;
  void clean_up() override;
  [[nodiscard]] Bytes size(const std::string& name) const override;

 private:
  [[nodiscard]] std::string engine() const { return std::string(kEnvironmentKinds.of(kind_)); }
  Result<void> run(const std::string& step, Command command);
  Result<void> load(const ImageParts& parts);
  Result<void> commit(const ImageParts& parts);

  EnvironmentKind kind_;
  std::filesystem::path scratch_;
  const BuildWatch& watch_;
  // Names of unfinished parts depend on the home, so that its next build finds what a killed one
  // has left, and builds of other homes do not remove it.
  std::string container_;
  std::string unfinished_;
};

// Returns the config of the image, whose SHA-256 is the image's digest. Layers are given by digest.
std::string image_config(const std::vector<std::string>& layer_digests);

// Returns the program that decompresses a file with these first bytes; "" if it is not compressed.
std::string decompressor(std::string_view first_bytes);

}  // namespace tacho
