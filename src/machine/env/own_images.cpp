#include "machine/env/own_images.h"

#include <algorithm>

#include "base/home.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// Apptainer and Singularity are one engine under two names.
std::string_view folder_name(EnvironmentKind kind) {
  const bool singularity = kind == EnvironmentKind::singularity;
  return kEnvironmentKinds.of(singularity ? EnvironmentKind::apptainer : kind);
}

std::string_view ending(EnvironmentKind kind) {
  return kind == EnvironmentKind::charliecloud ? "" : ".sif";
}

fs::path folder(const fs::path& home, EnvironmentKind kind) {
  return home / "images" / folder_name(kind);
}

}  // namespace

fs::path own_image_place(const fs::path& home, EnvironmentKind kind, const std::string& name) {
  std::string file = name;  // encoded like in the storage of ch-image
  std::replace(file.begin(), file.end(), '/', '%');
  std::replace(file.begin(), file.end(), ':', '+');
  return folder(home, kind) / (file + std::string(ending(kind)));
}

fs::path find_own_image(EnvironmentKind kind, const std::string& name) {
  const auto home = tacho_home();
  if (!home.ok()) return {};
  fs::path place = own_image_place(*home, kind, name);
  std::error_code problem;
  return fs::exists(place, problem) ? place : fs::path();
}

std::vector<std::string> own_images(EnvironmentKind kind) {
  std::vector<std::string> names;
  const auto home = tacho_home();
  if (!home.ok()) return names;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder(*home, kind), problem)) {
    std::string name = entry.path().filename().string();
    if (!name.ends_with(ending(kind))) continue;
    name.erase(name.size() - ending(kind).size());
    std::replace(name.begin(), name.end(), '%', '/');
    std::replace(name.begin(), name.end(), '+', ':');
    names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tacho
