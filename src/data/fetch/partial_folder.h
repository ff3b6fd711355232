#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace tacho {

// A folder that is made piece by piece, over as many attempts as it takes. Whatever ends an
// attempt, the next one finds every finished piece and nothing of an unfinished one.
class PartialFolder {
 public:
  // Goes on with what is there if that was made from the same `origin`, a text that names the
  // sources; otherwise begins anew.
  static Result<PartialFolder> open(std::filesystem::path path, std::string_view origin);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Pieces are folders below path(): "train/n01440764".
  [[nodiscard]] bool has(const std::filesystem::path& piece) const;
  // An empty folder for the next piece, in place of an unfinished one.
  Result<std::filesystem::path> begin() const;
  Result<void> finish(const std::filesystem::path& piece) const;

  void drop_unfinished() const;
  void remove() const;
  // Takes what only this class needs out of a folder that is complete and has moved to `folder`.
  static void tidy(const std::filesystem::path& folder);

 private:
  explicit PartialFolder(std::filesystem::path path) : path_(std::move(path)) {}
  [[nodiscard]] std::filesystem::path unfinished() const;

  std::filesystem::path path_;
};

}  // namespace tacho
