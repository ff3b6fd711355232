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

// Functions for the small text files of /proc, /sys and /etc. Missing values are empty and never an
// error, because machines differ in what they report.

// Returns the content without surrounding white space; "" if it cannot be read.
std::string read_text(const std::filesystem::path& file);

// Reads a file with a single read call, for files that are read repeatedly: the kernel delivers
// those files in one piece. Returns 0 or errno; on error `text` is empty.
int read_again(const std::filesystem::path& file, std::string& text);

// A file that is kept open between reads, which halves their cost. For a process that has ended,
// read() returns ESRCH even if its pid was reused.
class ProcFile {
 public:
  // Set `keep` to false if there are many files: descriptors are limited.
  explicit ProcFile(std::filesystem::path path, bool keep = true)
      : path_(std::move(path)), keep_(keep) {}

  int read(std::string& text);
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool keep_;
  UniqueFd fd_;
};

// Returns the value of the first line "key <separator> value"; "" if there is none.
std::string_view value_of(std::string_view text, std::string_view key, char separator = ':');

// Returns the whole number at the start of a text: 16384 for "16384 kB", nothing for "max".
std::optional<std::int64_t> leading_number(std::string_view text);

// Returns the names in a folder that are whole numbers, sorted: processes and threads in /proc.
std::vector<std::int64_t> numbered_entries(const std::filesystem::path& folder);

// Returns the entries of a folder, sorted by name.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);

}  // namespace tacho
