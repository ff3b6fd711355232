#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/catalog.h"
#include "data/fetch/meta_mat.h"

namespace tacho {

// What ILSVRC2012's development kit says of the images in the other two archives.
struct Devkit {
  std::vector<Synset> classes;       // the one with ILSVRC2012_ID 1 first
  std::vector<std::size_t> answers;  // the class of each validation image, an index into classes
};

// From ILSVRC2012_devkit_t12.tar.gz. The counts of `info` must be met where it has any.
Result<Devkit> read_devkit(const std::filesystem::path& archive, const DatasetInfo& info);

// The classes among the synsets, which must be numbered from 1 without a gap. `count`: how many
// there are to be, 0 for any number.
Result<std::vector<Synset>> classes_among(std::vector<Synset> synsets, std::int64_t count);

// A number from 1 to `classes` a line; gives them less 1.
Result<std::vector<std::size_t>> parse_ground_truth(std::string_view text, std::size_t classes);

}  // namespace tacho
