#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "training/data/catalog.h"
#include "training/data/image_folder.h"

namespace tacho {

// The contents of a prepared image folder, from its file classes.tsv: one line per class with these
// four values, separated by tabs, ordered by label.
struct ClassLine {
  std::string name;   // name of the folder: "n01440764"
  std::string words;  // "tench, Tinca tinca"; "" if unknown
  std::int64_t train = 0;
  std::int64_t eval = 0;
};
inline constexpr std::string_view kClassTable = "classes.tsv";

// Counts the images of each class.
std::vector<ClassLine> count_classes(const ImageFolder& images);

struct SampleTotals {
  std::int64_t train = 0;
  std::int64_t eval = 0;
};
SampleTotals totals_of(std::span<const ClassLine> rows);

Result<void> write_class_table(const std::filesystem::path& folder,
                               std::span<const ClassLine> rows);
Result<std::vector<ClassLine>> read_class_table(const std::filesystem::path& folder);

}  // namespace tacho
