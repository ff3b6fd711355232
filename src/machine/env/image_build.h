#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "machine/env/build_watch.h"
#include "machine/env/environment.h"

namespace tacho {

struct ImageOrder {
  EnvironmentKind kind = EnvironmentKind::podman;
  std::string base;                // value of --base
  bool new_base = false;           // do not reuse an existing base
  std::string image{kTachoImage};  // its name
  std::filesystem::path home;      // TACHO_HOME, with bases and own_images()
  std::filesystem::path programs;  // the folder of tacho and tacho-worker
};

struct BuiltImage {
  EnvironmentFacts facts;
  std::string word;  // "podman:localhost/tacho:latest"
  Bytes size;
};

// Builds an image with tacho-worker, checks that the worker starts in it, and only then names the
// image. Leaves nothing behind if it is stopped or fails; if it is killed, the next build cleans
// up.
Result<BuiltImage> build_image(const ImageOrder& order, const BuildWatch& watch);

}  // namespace tacho
