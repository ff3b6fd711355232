#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/record/event.h"

namespace tacho {

// Reads the scalars of a growing TensorBoard event file.
class TensorBoardTail {
 public:
  // Reads from the byte `begin`, where a record must start.
  explicit TensorBoardTail(std::filesystem::path file, std::uintmax_t begin = 0)
      : file_(std::move(file)), read_(begin) {}

  // Returns the FiguresSeen, with its time, of each record that was completed since the last call.
  // Does not read beyond damaged bytes, where the next record cannot be found.
  Result<std::vector<Event>> read_new();
  [[nodiscard]] bool damaged() const { return damaged_; }

 private:
  std::filesystem::path file_;
  std::uintmax_t read_;  // bytes of complete records
  bool damaged_ = false;
};

}  // namespace tacho
