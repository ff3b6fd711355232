#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

// One part of an image folder: which files there are, and of which class each is. What is in them
// is for whoever opens them to find out.
struct ImageList {
  std::filesystem::path root;
  std::vector<std::string> classes;  // sorted by their bytes; a label is an index into this
  std::vector<std::string> files;    // below root: "train/cat/7.jpg"; class by class, sorted
  std::vector<std::int64_t> labels;  // of each file
};

struct ImageFolder {
  ImageList train;
  ImageList eval;                // with the classes of `train`, of which some may have no file here
  std::int64_t passed_over = 0;  // entries, other than hidden ones, that are no image by their name
};

inline constexpr std::string_view kTrainPart = "train";
// The first of these that is there; the first of all if none is.
inline constexpr std::array<std::string_view, 3> kEvalParts = {"val", "valid", "test"};
std::string_view eval_part_of(const std::filesystem::path& folder);

// Lists folder/train/CLASS/*.{jpg,jpeg,png} and folder/val/CLASS/* (letters of either case). Opens
// no file and asks the system for nothing but the folders' entries, so that ImageNet takes seconds.
Result<ImageFolder> load_image_folder(const std::filesystem::path& folder);

// Whether a file that begins with these bytes is a JPEG or PNG image.
bool begins_like_an_image(std::string_view bytes);
inline constexpr std::size_t kImageMagicBytes = 8;  // what that looks at

}  // namespace tacho
