#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "training/data/fetch/watch.h"

namespace tacho {

// Iterates over the files of an archive or a folder. Names are untrusted: code that writes a file
// must build its path from checked parts.
class EntryReader {
 public:
  EntryReader() = default;
  EntryReader(EntryReader&&) = default;
  EntryReader& operator=(EntryReader&&) = default;
  virtual ~EntryReader() = default;

  // Advances to the next file; false after the last. Skips folders. Links, devices and paths
  // outside of the target folder are errors.
  virtual Result<bool> next() = 0;
  // Path of the current file within the archive or folder.
  [[nodiscard]] virtual std::string_view path() const = 0;
  // Reads the whole file; valid until the next call of any method. An error if it is larger than
  // `limit`.
  virtual Result<std::string_view> content(Bytes limit) = 0;
  [[nodiscard]] virtual Progress progress() const = 0;
  // Makes ErrorCode::invalid with "ARCHIVE: ENTRY: why".
  [[nodiscard]] virtual Error bad(std::string_view why) const = 0;
};

}  // namespace tacho
