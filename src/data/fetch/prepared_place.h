#pragma once

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/result.h"
#include "data/catalog.h"

namespace tacho {

// A folder that is only on the way: cleared of what an interrupted run left, and gone at the end.
class PassingFolder {
 public:
  explicit PassingFolder(std::filesystem::path path) : path_(std::move(path)) { clear(); }
  ~PassingFolder() { clear(); }
  PassingFolder(const PassingFolder&) = delete;
  PassingFolder& operator=(const PassingFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  void clear() const;
  std::filesystem::path path_;
};

// home/data/NAME, which one process at a time may make anew.
class PreparedPlace {
 public:
  static Result<PreparedPlace> take(const DatasetInfo& info, const std::filesystem::path& home);

  [[nodiscard]] const std::filesystem::path& target() const { return target_; }
  // Where a few files wait until all are there, and where a folder of many grows.
  [[nodiscard]] std::filesystem::path part() const;
  [[nodiscard]] std::filesystem::path partial() const;
  // Puts a finished folder from beside it in its place, instead of what is there.
  Result<void> publish(const std::filesystem::path& finished) const;

 private:
  PreparedPlace(std::filesystem::path target, FileLock lock)
      : target_(std::move(target)), lock_(std::move(lock)) {}
  [[nodiscard]] std::filesystem::path hidden(std::string_view ending) const;

  std::filesystem::path target_;
  FileLock lock_;
};

// Waits until what was written below `folder` would survive a power cut.
Result<void> sync_disk_of(const std::filesystem::path& folder);

}  // namespace tacho
