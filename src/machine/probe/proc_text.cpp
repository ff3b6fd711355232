#include "machine/probe/proc_text.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>

#include "base/split.h"

namespace tacho {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
  const auto content = read_file(file);
  return content.ok() ? std::string(trimmed(*content)) : "";
}

int read_again(const fs::path& file, std::string& text) { return ProcFile(file, false).read(text); }

int ProcFile::read(std::string& text) {
  text.clear();
  if (!fd_) fd_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd_) return errno;
  std::array<char, 16 << 10> buffer;
  ssize_t got = 0;
  while ((got = ::pread(fd_.get(), buffer.data(), buffer.size(), 0)) < 0 && errno == EINTR) {
  }
  const int error = got < 0 ? errno : 0;
  if (got > 0) text.assign(buffer.data(), static_cast<std::size_t>(got));
  if (!keep_) fd_.reset();
  return error;
}

std::string_view value_of(std::string_view text, std::string_view key, char separator) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t at = line.find(separator);
    if (at == std::string_view::npos || trimmed(line.substr(0, at)) != key) continue;
    return trimmed(line.substr(at + 1));
  }
  return "";
}

std::optional<std::int64_t> leading_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

std::vector<std::int64_t> numbered_entries(const fs::path& folder) {
  std::vector<std::int64_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  if (!open) return numbers;
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string_view name(entry->d_name);
    const bool number = name.find_first_not_of("0123456789") == std::string_view::npos;
    if (const auto value = leading_number(name); number && value) numbers.push_back(*value);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    found.push_back(at->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace tacho
