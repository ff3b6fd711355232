#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "machine/env/build_watch.h"
#include "machine/env/image_base.h"

namespace tacho {

// The parts of an image: a base, and Tacho's layer as an archive.
struct ImageParts {
  ImageBase base;
  std::filesystem::path base_archive;  // if the base is not `named`
  std::filesystem::path layer;
  std::vector<std::filesystem::path> layer_folders;  // folders of its files
};

// Builds an image for one engine. keep() gives it its name; before that, and if anything fails, an
// existing image of that name is unchanged.
class ImageMaker {
 public:
  virtual ~ImageMaker() = default;
  // Checks that the required programs other than the engine are installed.
  [[nodiscard]] virtual Result<void> check() const { return {}; }
  // Returns a temporary name for testing the image.
  virtual Result<std::string> make(const ImageParts& parts) = 0;
  virtual Result<void> keep(const std::string& name) = 0;
  // Removes what was made but not kept, and images of Tacho that have lost their name.
  virtual void clean_up() = 0;
  // Returns the size of a kept image.
  [[nodiscard]] virtual Bytes size(const std::string& name) const = 0;
};

// `scratch`, a folder below `home`, belongs to the maker while it exists.
std::unique_ptr<ImageMaker> image_maker(EnvironmentKind kind, const std::filesystem::path& home,
                                        const std::filesystem::path& scratch,
                                        const BuildWatch& watch);

}  // namespace tacho
