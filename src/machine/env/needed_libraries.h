#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

struct NeededLibrary {
  std::string name;  // as in the programs: "libblas.so.3"
  std::filesystem::path file;
  bool operator==(const NeededLibrary&) const = default;
};

// The libraries that the dynamic loader needs to start some programs.
struct NeededLibraries {
  std::filesystem::path loader;          // absolute path, as written in every program
  std::vector<NeededLibrary> libraries;  // sorted by name, each once
};

// Parses the output of ldd for one or more programs.
Result<NeededLibraries> parse_needed_libraries(std::string_view ldd_output);

// Runs ldd. Does not find libraries that a program loads at run time.
Result<NeededLibraries> find_needed_libraries(const std::vector<std::filesystem::path>& programs);

// Returns true for parts of the C library, which must come from the same system as the loader.
bool is_of_c_library(std::string_view library_name);

}  // namespace tacho
