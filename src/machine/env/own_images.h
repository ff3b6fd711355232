#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/record/environment_spec.h"

namespace tacho {

// Images for engines without an image store, in TACHO_HOME/images: SIF files for apptainer and
// singularity, folders for charliecloud. They have names, as with docker and podman.

// Returns the path of an image with this name, whether or not it exists.
std::filesystem::path own_image_place(const std::filesystem::path& home, EnvironmentKind kind,
                                      const std::string& name);

// Returns the path of an existing image below $TACHO_HOME, else an empty path.
std::filesystem::path find_own_image(EnvironmentKind kind, const std::string& name);

// Returns the names, sorted.
std::vector<std::string> own_images(EnvironmentKind kind);

}  // namespace tacho
