#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"

namespace tacho {

// Reading the small text files of /proc, /sys and /etc. What a machine does not tell is empty here
// and never an error: no two machines tell the same.

// The file without white space around it; "" if it cannot be read.
std::string read_text(const std::filesystem::path& file);

// The same for files that are read again and again, as they are: by one call, which gives all of a
// file that the kernel makes in one piece. 0, or the number of the error; then `text` is empty.
int read_again(const std::filesystem::path& file, std::string& text);

// Such a file, kept open, which halves the cost of reading it. One of a process that is gone
// answers ESRCH, also if another has the number by then.
class KeptFile {
 public:
  // `keep` is for the caller to say, who knows how many there are: descriptors are few.
  explicit KeptFile(std::filesystem::path path, bool keep = true)
      : path_(std::move(path)), keep_(keep) {}

  int read(std::string& text);
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool keep_;
  UniqueFd fd_;
};

// The value of the first line "key <separator> value"; "" if there is none.
std::string_view value_of(std::string_view text, std::string_view key, char separator = ':');

// The whole number a text begins with: 16384 of "16384 kB", nothing of "max".
std::optional<std::int64_t> leading_number(std::string_view text);

std::string_view trimmed(std::string_view text);

std::vector<std::string_view> split(std::string_view text, char separator);

// The names in a folder that are whole numbers: processes and threads in /proc, sorted.
std::vector<std::int64_t> numbered_entries(const std::filesystem::path& folder);

// What lies in a folder, sorted by name.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);

}  // namespace tacho
