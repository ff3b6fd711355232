#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace tacho {

// A synset in the development kit's meta.mat.
struct Synset {
  std::int64_t number = 0;  // ILSVRC2012_ID, from 1
  std::string id;           // WNID: "n01440764"
  std::string words;
  std::int64_t children = 0;  // 0 for a class; others are groups of classes
  std::optional<std::int64_t> train_images = {};
};

// Reads the struct array `synsets` of a MATLAB file. num_children and num_train_images may be
// missing, as in other devkits. Errors do not name the file, which may come from an archive.
Result<std::vector<Synset>> read_meta_mat(const std::filesystem::path& file);

}  // namespace tacho
