#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "env/build_watch.h"
#include "env/image_base.h"

namespace tacho {

// What an image is made of: a base, and Tacho's layer over it as an archive.
struct ImageParts {
  ImageBase base;
  std::filesystem::path base_archive;  // of a base that is not `named`
  std::filesystem::path layer;
  std::vector<std::filesystem::path> layer_folders;  // into which it puts files
};

// Makes an image in one engine. It has its name only once keep() was called; before that, and if
// anything fails, an image that had the name stays as it was.
class ImageMaker {
 public:
  virtual ~ImageMaker() = default;
  // Whether what it takes is here, beside the engine.
  [[nodiscard]] virtual Result<void> check() const { return {}; }
  // Returns by which name it can be tried.
  virtual Result<std::string> make(const ImageParts& parts) = 0;
  virtual Result<void> keep(const std::string& name) = 0;
  // What was made and not kept, and what images of Tacho's have lost their name.
  virtual void clear_up() = 0;
  // Of an image that was kept.
  [[nodiscard]] virtual Bytes size(const std::string& name) const = 0;
};

// `scratch`, a folder below `home`, is its own until it is gone.
std::unique_ptr<ImageMaker> image_maker(EnvironmentKind kind, const std::filesystem::path& home,
                                        const std::filesystem::path& scratch,
                                        const BuildWatch& watch);

}  // namespace tacho
