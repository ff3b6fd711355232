#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "listen/tensorboard_tail.h"

namespace tacho {

// The TensorBoard files that appear or grow below a folder while a program runs.
class TensorBoardWatch {
 public:
  struct Place {
    std::filesystem::path folder;
    bool everywhere = false;            // however deep: the user named the folder
    std::filesystem::path except = {};  // what lies in this folder below it is of other programs
  };
  // Files that have not changed since now are somebody else's.
  explicit TensorBoardWatch(Place place);

  // What was written since the last look. A file that cannot be read is told of once, in notes().
  std::vector<FiguresSeen> look();
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  void find_files();

  Place place_;
  std::map<std::filesystem::path, std::uintmax_t> before_;  // their sizes
  std::map<std::filesystem::path, TensorBoardTail> tails_;
  std::vector<std::string> notes_;
};

}  // namespace tacho
