#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {

// A fake root file system for tests: contains only the files that were put() there.
class FixtureRoot {
 public:
  void put(const std::filesystem::path& file, std::string_view content) {
    const auto path = folder_.path() / file;
    EXPECT_TRUE(make_folders(path.parent_path()).ok());
    std::ofstream(path) << content;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

 private:
  ScratchFolder folder_;
};

}  // namespace tacho
