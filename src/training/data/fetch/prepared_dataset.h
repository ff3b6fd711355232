#pragma once

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/result.h"
#include "training/data/catalog.h"

namespace tacho {

// A temporary folder: removes what an interrupted run left in it, and itself at the end.
class StagingFolder {
 public:
  explicit StagingFolder(std::filesystem::path path) : path_(std::move(path)) { clear(); }
  ~StagingFolder() { clear(); }
  StagingFolder(const StagingFolder&) = delete;
  StagingFolder& operator=(const StagingFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  void clear() const;
  std::filesystem::path path_;
};

// The folder home/data/NAME, which only one process at a time may replace.
class PreparedDataset {
 public:
  static Result<PreparedDataset> take(const DatasetInfo& info, const std::filesystem::path& home);

  [[nodiscard]] const std::filesystem::path& target() const { return target_; }
  // Temporary folders next to it: part() for a few files, partial() for a folder that is filled
  // over several attempts.
  [[nodiscard]] std::filesystem::path part() const;
  [[nodiscard]] std::filesystem::path partial() const;
  // Replaces the dataset with a finished folder next to it.
  Result<void> publish(const std::filesystem::path& finished) const;

 private:
  PreparedDataset(std::filesystem::path target, FileLock lock)
      : target_(std::move(target)), lock_(std::move(lock)) {}
  [[nodiscard]] std::filesystem::path hidden(std::string_view ending) const;

  std::filesystem::path target_;
  FileLock lock_;
};

// Waits until everything written below `folder` would survive a power loss.
Result<void> sync_disk_of(const std::filesystem::path& folder);

}  // namespace tacho
