#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/build_watch.h"
#include "env/needed_libraries.h"

namespace tacho {

// A file of this machine and its place in an image.
struct LayerFile {
  std::filesystem::path inside;
  std::filesystem::path file;
  bool operator==(const LayerFile&) const = default;
};

// Tacho's programs beside `tacho` in `folder`. An error where the worker is not there.
Result<std::vector<std::filesystem::path>> programs_in(const std::filesystem::path& folder);

// What Tacho adds to a base: its programs, and the very libraries they are linked to here, in a
// folder of their own (tacho_carries_libraries in cmake/House.cmake). The base's C library is used
// where it has one.
Result<std::vector<LayerFile>> plan_layer(const std::vector<std::filesystem::path>& programs,
                                          const NeededLibraries& needed, bool base_has_c_library);

// The folders inside into which its files go, each once.
std::vector<std::filesystem::path> folders_of(const std::vector<LayerFile>& files);

// What the image says of itself in /usr/local/share/tacho/image.json.
std::string layer_note(const std::vector<LayerFile>& files);

// The same files make the same archive, byte for byte.
Result<void> pack_layer(const std::vector<LayerFile>& files, const std::filesystem::path& archive,
                        const std::filesystem::path& scratch, const BuildWatch& watch);

}  // namespace tacho
