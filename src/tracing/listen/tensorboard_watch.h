#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tracing/listen/tensorboard_tail.h"

namespace tacho {

// Watches TensorBoard files that appear or grow below a folder while a program runs.
class TensorBoardWatch {
 public:
  struct Place {
    std::filesystem::path folder;
    bool everywhere = false;            // at any depth: the user gave the folder
    std::filesystem::path except = {};  // a folder below it with files of other programs
  };
  // Ignores files that do not change after construction: they belong to other programs.
  explicit TensorBoardWatch(Place place);

  // Returns what was written since the last call. A file that cannot be read is reported once, in
  // take_notes().
  std::vector<FiguresSeen> look();
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  void find_files();

  Place place_;
  std::map<std::filesystem::path, std::uintmax_t> before_;  // file sizes at construction
  std::map<std::filesystem::path, TensorBoardTail> tails_;
  std::vector<std::string> notes_;
};

}  // namespace tacho
