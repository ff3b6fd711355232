#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tacho {

// Iterates over the records of a .wandb file: a header, then the log format of LevelDB, in which
// blocks of 32 KiB hold chunks with a checksum (CRC-32), and a record is one or more chunks.
class WandbLog {
 public:
  // `bytes` must outlive the object.
  static Result<WandbLog> open(std::string_view bytes);

  // Returns the next record, valid until the next call; nothing at the end. A record that is cut
  // off there, as after a kill, is left out.
  Result<std::optional<std::string_view>> next();

 private:
  explicit WandbLog(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] Error damaged() const;

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::string joined_;
};

}  // namespace tacho
