#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "training/data/fetch/entry_reader.h"

namespace tacho {

// Reads an unpacked archive: every file below a folder, sorted by path.
class FolderReader final : public EntryReader {
 public:
  static Result<FolderReader> open(const std::filesystem::path& folder);

  Result<bool> next() override;
  [[nodiscard]] std::string_view path() const override { return paths_[at_ - 1]; }
  Result<std::string_view> content(Bytes limit) override;
  [[nodiscard]] Progress progress() const override;
  [[nodiscard]] Error bad(std::string_view why) const override;

 private:
  FolderReader(std::filesystem::path folder, std::vector<std::string> paths)
      : folder_(std::move(folder)), name_(folder_.string()), paths_(std::move(paths)) {}

  std::filesystem::path folder_;
  std::string name_;
  std::vector<std::string> paths_;
  std::size_t at_ = 0;  // number of files that next() has returned
  std::string content_;
};

}  // namespace tacho
