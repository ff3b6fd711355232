#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace tacho {

// A new empty folder in the system's temporary folder; the destructor removes it with its content.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tacho-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) broken_invariant("cannot create " + pattern);
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tacho
