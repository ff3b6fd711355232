#pragma once

#include "env/image_maker.h"

namespace tacho {

// An image of podman or docker. Of an archive it is put together here, file by file as `save` would
// write it, and loaded: both engines then hold the same image with the same digest, every time it
// is made. A named base is taken as a container, filled and committed. Neither needs a builder,
// which leaves half-made containers and layers when it is interrupted.
class OciImage final : public ImageMaker {
 public:
  OciImage(EnvironmentKind kind, const std::filesystem::path& home, std::filesystem::path scratch,
           const BuildWatch& watch);

  Result<std::string> make(const ImageParts& parts) override;
  Result<void> keep(const std::string& name) override;
  void clear_up() override;
  [[nodiscard]] Bytes size(const std::string& name) const override;

 private:
  [[nodiscard]] std::string engine() const { return std::string(kEnvironmentKinds.of(kind_)); }
  Result<void> run(const std::string& step, Command command);
  Result<void> load(const ImageParts& parts);
  Result<void> commit(const ImageParts& parts);

  EnvironmentKind kind_;
  std::filesystem::path scratch_;
  const BuildWatch& watch_;
  // What is half made goes by names of this home, so that its next build finds what a killed one
  // has left, and no other build takes it for abandoned.
  std::string container_;
  std::string half_made_;
};

// The image's description; its SHA-256 is the image's digest. Layers are named by theirs.
std::string image_config(const std::vector<std::string>& layer_digests);

// The program that unpacks a file with these first bytes; "" if they are no compressed ones.
std::string decompressor(std::string_view first_bytes);

}  // namespace tacho
