#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace tacho {

// The paths of all files below a folder, and of its empty folders.
inline std::set<std::string> tree(const std::filesystem::path& folder) {
  std::set<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_directory() && !std::filesystem::is_empty(entry.path())) continue;
    paths.insert(entry.path().lexically_relative(folder));
  }
  return paths;
}

}  // namespace tacho
