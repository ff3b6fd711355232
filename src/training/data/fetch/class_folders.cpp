#include "training/data/fetch/class_folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/split.h"
#include "training/data/image_folder.h"

namespace tacho {
namespace {

// Leftovers of macOS repeat every path below this folder.
constexpr std::string_view kMacFolder = "__MACOSX";

struct ClassPath {
  std::string prefix;  // "" or a folder with a slash at its end
  std::string_view part;
  std::string_view class_name;
};

bool is_part(std::string_view name) {
  return name == kTrainPart ||
         std::find(kEvalParts.begin(), kEvalParts.end(), name) != kEvalParts.end();
}

std::optional<ClassPath> parse_class_path(std::string_view path) {
  std::vector<std::string_view> names = split(path, '/');
  const bool hidden = std::any_of(names.begin(), names.end(), [](std::string_view name) {
    return name.starts_with('.') || name == kMacFolder;
  });
  if (hidden || !is_image_name(names.back())) return std::nullopt;
  names.pop_back();
  if (names.size() > 2 && names.back() == "images") names.pop_back();
  if (names.size() < 2 || !is_part(names[names.size() - 2])) return std::nullopt;
  ClassPath found{.prefix = "", .part = names[names.size() - 2], .class_name = names.back()};
  for (std::size_t i = 0; i + 2 < names.size(); ++i) found.prefix += std::string(names[i]) + "/";
  return found;
}

// The first one that has images, as in load_image_folder().
std::string_view eval_part_among(const std::vector<ClassPath>& paths) {
  for (const std::string_view part : kEvalParts) {
    if (std::any_of(paths.begin(), paths.end(),
                    [part](const ClassPath& path) { return path.part == part; })) {
      return part;
    }
  }
  return kEvalParts.front();
}

}  // namespace

Result<std::vector<PlacedImage>> find_class_folders(const ImageSource& source,
                                                    std::span<const std::string> files) {
  std::vector<ClassPath> paths;
  std::vector<std::string_view> names;
  for (const std::string& file : files) {
    auto path = parse_class_path(file);
    if (!path) continue;
    if (!paths.empty() && path->prefix != paths.front().prefix) {
      return source.bad(file, fmt::format("there are also images below {}{}; keep one of the two",
                                          paths.front().prefix, paths.front().part));
    }
    paths.push_back(*std::move(path));
    names.push_back(file);
  }
  const std::string_view eval = eval_part_among(paths);
  std::vector<PlacedImage> images;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const bool train = paths[i].part == kTrainPart;
    if (!train && paths[i].part != eval) continue;
    images.push_back({.file = std::string(names[i]),
                      .part = train ? ImagePart::train : ImagePart::eval,
                      .class_name = std::string(paths[i].class_name)});
  }
  return images;
}

}  // namespace tacho
