#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/result.h"

namespace tacho {

// A file that grows by complete pieces: a piece that does not fit on the disk is removed, so that
// the file stays readable when there is space again. For one writer at a time.
class AppendFile {
 public:
  // `fd` must be opened with O_APPEND; `path` is for messages.
  AppendFile(UniqueFd fd, std::filesystem::path path)
      : fd_(std::move(fd)), path_(std::move(path)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  Result<void> append(std::string_view piece);

 private:
  UniqueFd fd_;
  std::filesystem::path path_;
};

}  // namespace tacho
