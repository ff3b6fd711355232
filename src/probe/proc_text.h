#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacho {

// Reading the small text files of /proc, /sys and /etc. What a machine does not tell is empty here
// and never an error: no two machines tell the same.

// The file without white space around it; "" if it cannot be read.
std::string read_text(const std::filesystem::path& file);

// The same for files that are read again and again: into memory that is there already, as much as
// fits into a page or two. 0, or the number of the error; then `text` is empty.
int read_again(const std::filesystem::path& file, std::string& text);

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
