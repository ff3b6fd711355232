#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/env/build_watch.h"
#include "machine/env/needed_libraries.h"

namespace tacho {

// A file of this machine and its path in an image.
struct LayerFile {
  std::filesystem::path inside;
  std::filesystem::path file;
  bool operator==(const LayerFile&) const = default;
};

// Returns the programs of Tacho in `folder`. Returns an error if one is missing.
Result<std::vector<std::filesystem::path>> programs_in(const std::filesystem::path& folder);

// Returns the files that Tacho adds to a base: its programs, and the libraries they are linked to
// on this machine, in a separate folder (tacho_carries_libraries in cmake/House.cmake). Uses the C
// library of the base if it has one.
Result<std::vector<LayerFile>> plan_layer(const std::vector<std::filesystem::path>& programs,
                                          const NeededLibraries& needed, bool base_has_c_library);

// Returns the folders of the files in the image, each once.
std::vector<std::filesystem::path> folders_of(const std::vector<LayerFile>& files);

// Returns the description of the image for /usr/local/share/tacho/image.json.
std::string layer_note(const std::vector<LayerFile>& files);

// Packs the files into an archive. The same files give the same bytes.
Result<void> pack_layer(const std::vector<LayerFile>& files, const std::filesystem::path& archive,
                        const std::filesystem::path& scratch, const BuildWatch& watch);

}  // namespace tacho
