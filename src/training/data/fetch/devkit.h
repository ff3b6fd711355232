#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "training/data/catalog.h"
#include "training/data/fetch/meta_mat.h"

namespace tacho {

// The labels in ILSVRC2012's development kit for the images of the other two archives.
struct Devkit {
  std::vector<Synset> classes;       // ordered by ILSVRC2012_ID, from 1
  std::vector<std::size_t> answers;  // class of each validation image, an index into classes
};

// Reads ILSVRC2012_devkit_t12.tar.gz. The counts must match those of `info`, if it has any.
Result<Devkit> read_devkit(const std::filesystem::path& archive, const DatasetInfo& info);

// Returns the classes among the synsets, which must be numbered from 1 without gaps. `count`:
// expected number of classes, 0 for any.
Result<std::vector<Synset>> classes_among(std::vector<Synset> synsets, std::int64_t count);

// Parses one number from 1 to `classes` per line and returns them minus 1.
Result<std::vector<std::size_t>> parse_ground_truth(std::string_view text, std::size_t classes);

}  // namespace tacho
