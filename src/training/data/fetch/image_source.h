#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "training/data/catalog.h"
#include "training/data/fetch/entry_reader.h"
#include "training/data/fetch/watch.h"

namespace tacho {

// An archive of images, or its unpacked folder.
struct ImageSource {
  std::filesystem::path path;
  bool is_folder = false;

  [[nodiscard]] Result<std::unique_ptr<EntryReader>> open() const;
  // ErrorCode::invalid for one of its files, or for all of it.
  [[nodiscard]] Error bad(std::string_view file, std::string_view why) const;
  [[nodiscard]] Error bad(std::string_view why) const;
};

// Returns `from`, or what it contains: the unpacked folder or the published archive.
ImageSource find_image_source(const DatasetInfo& info, const std::filesystem::path& from);

// Lists all files, in the order of the source.
Result<std::vector<std::string>> list_source(const ImageSource& source, const Watch& watch);

inline Error stopped_before_writing() {
  return {ErrorCode::failed, "stopped; nothing was written"};
}

}  // namespace tacho
