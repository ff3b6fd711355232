#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

// One part of an image folder: the files and their classes. The files' contents are not checked.
struct ImageList {
  std::filesystem::path root;
  std::vector<std::string> classes;  // sorted by bytes; a label is an index into this
  std::vector<std::string> files;    // relative to root: "train/cat/7.jpg"; by class, sorted
  std::vector<std::int64_t> labels;  // of each file
};

struct ImageFolder {
  ImageList train;
  ImageList eval;            // with the classes of `train`; some may have no file here
  std::int64_t skipped = 0;  // visible entries that are not named like an image
};

inline constexpr std::string_view kTrainPart = "train";
// The first one that exists is used; errors name the first one if none does.
inline constexpr std::array<std::string_view, 3> kEvalParts = {"val", "valid", "test"};
std::string_view eval_part_of(const std::filesystem::path& folder);

// Lists folder/train/CLASS/*.{jpg,jpeg,png} and folder/val/CLASS/*, case-insensitive. Opens no file
// and reads only the folders' entries, so that ImageNet takes seconds.
Result<ImageFolder> load_image_folder(const std::filesystem::path& folder);

// True for .jpg, .jpeg and .png, case-insensitive.
bool is_image_name(std::string_view name);

// True if the bytes are the beginning of a JPEG or PNG file.
bool begins_like_an_image(std::string_view bytes);
inline constexpr std::size_t kImageMagicBytes = 8;  // bytes that are checked

}  // namespace tacho
