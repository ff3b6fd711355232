#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "record/environment_spec.h"

namespace tacho {

// Images of engines that keep none themselves, in TACHO_HOME/images: a SIF file for apptainer and
// singularity, a folder for charliecloud. All go by names, as with docker and podman.

// Where an image of this name lies, whether or not it is there.
std::filesystem::path own_image_place(const std::filesystem::path& home, EnvironmentKind kind,
                                      const std::string& name);

// The place if it is there, else nothing. $TACHO_HOME is looked up.
std::filesystem::path find_own_image(EnvironmentKind kind, const std::string& name);

// Their names, sorted.
std::vector<std::string> own_images(EnvironmentKind kind);

}  // namespace tacho
