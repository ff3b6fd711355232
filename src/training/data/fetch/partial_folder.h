#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace tacho {

// A folder that is filled piece by piece, over any number of attempts. However an attempt ends, the
// next one finds every finished piece and nothing of an unfinished one.
class PartialFolder {
 public:
  // Continues with the existing folder if it was made from the same `origin`, a text that names the
  // sources; otherwise starts over.
  static Result<PartialFolder> open(std::filesystem::path path, std::string_view origin);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Pieces are folders below path(): "train/n01440764".
  [[nodiscard]] bool has(const std::filesystem::path& piece) const;
  // Returns an empty folder for the next piece and removes an unfinished one.
  Result<std::filesystem::path> begin() const;
  Result<void> finish(const std::filesystem::path& piece) const;

  void drop_unfinished() const;
  void remove() const;
  // Removes this class's own files from a complete folder that has moved to `folder`.
  static void tidy(const std::filesystem::path& folder);

 private:
  explicit PartialFolder(std::filesystem::path path) : path_(std::move(path)) {}
  [[nodiscard]] std::filesystem::path unfinished() const;

  std::filesystem::path path_;
};

}  // namespace tacho
