#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"
#include "data/fetch/watch.h"

namespace tacho {

// The files of an archive or of a folder, one after another. Names are untrusted: whoever writes a
// file makes its path from parts it has checked.
class EntryReader {
 public:
  EntryReader() = default;
  EntryReader(EntryReader&&) = default;
  EntryReader& operator=(EntryReader&&) = default;
  virtual ~EntryReader() = default;

  // Goes to the next file; false after the last. Folders are passed over. Links, devices and names
  // that lead out of the place they are unpacked in are errors.
  virtual Result<bool> next() = 0;
  // Of the file this is at, within the archive or folder.
  [[nodiscard]] virtual std::string_view path() const = 0;
  // All of the file, until the next call of anything here; an error if that is more than `limit`.
  virtual Result<std::string_view> content(Bytes limit) = 0;
  [[nodiscard]] virtual Progress progress() const = 0;
  // ErrorCode::invalid, "ARCHIVE: ENTRY: why".
  [[nodiscard]] virtual Error bad(std::string_view why) const = 0;
};

}  // namespace tacho
