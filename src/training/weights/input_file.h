#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace tacho {

// An open file that is read at any offset, so that large weights are never in memory as a whole.
class InputFile {
 public:
  // Opens a file that the user names: links are followed, as in Hugging Face's cache, but pipes and
  // devices are refused.
  static Result<InputFile> open(const std::filesystem::path& path);
  // Takes an open regular file. `path` appears in error messages.
  static Result<InputFile> take(UniqueFd fd, std::filesystem::path path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::size_t size() const { return size_; }

  // ErrorCode::invalid if the file ends before.
  Result<void> read(void* out, std::size_t size, std::size_t offset) const;
  [[nodiscard]] Result<std::string> bytes(std::size_t size, std::size_t offset) const;

 private:
  InputFile(UniqueFd fd, std::filesystem::path path, std::size_t size)
      : fd_(std::move(fd)), path_(std::move(path)), size_(size) {}

  UniqueFd fd_;
  std::filesystem::path path_;
  std::size_t size_;
};

}  // namespace tacho
