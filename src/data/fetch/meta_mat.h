#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace tacho {

// One of the synsets that the development kit's meta.mat describes.
struct Synset {
  std::int64_t number = 0;  // ILSVRC2012_ID, from 1
  std::string id;           // WNID: "n01440764"
  std::string words;
  std::int64_t children = 0;  // 0: a class; the others are what classes have in common
  std::optional<std::int64_t> train_images = {};
};

// Reads the struct array `synsets` of a MATLAB file. Fields that other devkits lack may be missing:
// num_children and num_train_images. Errors do not name the file: it may come out of an archive.
Result<std::vector<Synset>> read_meta_mat(const std::filesystem::path& file);

}  // namespace tacho
