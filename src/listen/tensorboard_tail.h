#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/event.h"

namespace tacho {

// Follows one TensorBoard event file as it grows, for its scalars.
class TensorBoardTail {
 public:
  // From the byte `begin` on, where a record must begin.
  explicit TensorBoardTail(std::filesystem::path file, std::uintmax_t begin = 0)
      : file_(std::move(file)), read_(begin) {}

  // One for each record that was completed since the last look. What comes after damaged bytes is
  // not read: records cannot be told apart there.
  Result<std::vector<FiguresSeen>> read_new();

 private:
  std::filesystem::path file_;
  std::uintmax_t read_;  // bytes of whole records
  bool damaged_ = false;
};

}  // namespace tacho
