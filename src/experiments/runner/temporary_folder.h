#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/result.h"

namespace tacho {

// A folder for ranks whose record another tacho keeps. The destructor removes it, except after
// keep().
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make() {
    std::error_code unknown;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(unknown);
    if (unknown) return system_error("temporary folder", unknown.value());
    std::string pattern = (parent / "tacho-rank-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) return system_error(pattern, errno);
    return TemporaryFolder(pattern);
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void keep() { path_.clear(); }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace tacho
