#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

struct NeededLibrary {
  std::string name;  // as programs ask for it: "libblas.so.3"
  std::filesystem::path file;
  bool operator==(const NeededLibrary&) const = default;
};

// Everything the dynamic loader maps to start some programs.
struct NeededLibraries {
  std::filesystem::path loader;          // the place itself is written in every program
  std::vector<NeededLibrary> libraries;  // by name, each once
};

// Of what ldd prints for one program or several.
Result<NeededLibraries> parse_needed_libraries(std::string_view ldd_output);

// Asks ldd. Libraries a program opens later by itself are not seen.
Result<NeededLibraries> find_needed_libraries(const std::vector<std::filesystem::path>& programs);

// Part of the C library, which belongs to its loader: of two systems, never mix them.
bool is_of_c_library(std::string_view library_name);

}  // namespace tacho
