#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "env/build_watch.h"
#include "env/environment.h"

namespace tacho {

struct ImageOrder {
  EnvironmentKind kind = EnvironmentKind::podman;
  std::string base;                // as --base has it
  bool new_base = false;           // though one was made before
  std::string image{kTachoImage};  // its name
  std::filesystem::path home;      // TACHO_HOME: made bases and own_images()
  std::filesystem::path programs;  // the folder of tacho and tacho-worker
};

struct BuiltImage {
  EnvironmentFacts facts;
  std::string word;  // "podman:localhost/tacho:latest"
  Bytes size;
};

// Builds an image that holds tacho-worker, tries that it starts there, and only then gives it its
// name. Stopped or failed, it leaves nothing behind; killed, what the next one takes away.
Result<BuiltImage> build_image(const ImageOrder& order, const BuildWatch& watch);

}  // namespace tacho
