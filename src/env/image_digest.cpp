#include "env/image_digest.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/file.h"
#include "base/subprocess.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kLongestHash{5};

Result<std::string> hash_of(const Command& command) {
  TACHO_TRY(hashed, capture(command, kLongestHash));
  if (!hashed.status.success() || hashed.out.size() < 64) {
    return Error{ErrorCode::failed, "sha256sum: " + hashed.err.substr(0, hashed.err.find('\n'))};
  }
  // sha256sum prints a backslash before the hash if the file name contains one.
  return hashed.out.substr(hashed.out.starts_with('\\') ? 1 : 0, 64);
}

Result<std::string> listing(const fs::path& folder) {
  std::vector<std::string> lines;
  std::error_code problem;
  fs::recursive_directory_iterator at(folder, problem);
  for (; !problem && at != fs::recursive_directory_iterator(); at.increment(problem)) {
    struct stat entry {};
    if (::lstat(at->path().c_str(), &entry) != 0) return system_error(at->path(), errno);
    // Folders and empty files are created as mount points for binds.
    if (S_ISDIR(entry.st_mode) || (S_ISREG(entry.st_mode) && entry.st_size == 0)) continue;
    lines.push_back(fmt::format("{} {:o} {} {}\n", at->path().lexically_relative(folder).string(),
                                entry.st_mode, entry.st_size, entry.st_mtim.tv_sec));
  }
  if (problem) return system_error(folder, problem.value());
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace

Result<std::string> text_digest(const std::string& text) {
  const UniqueFd pages(::memfd_create("text", MFD_CLOEXEC));
  if (!pages) return system_error("a text in memory", errno);
  TACHO_CHECK(write_all(pages.get(), text, "a text in memory"));
  if (::lseek(pages.get(), 0, SEEK_SET) != 0) return system_error("a text in memory", errno);
  return hash_of({.argv = {"sha256sum"}, .in = pages.get()});
}

Result<std::string> image_digest(const fs::path& image) {
  std::error_code problem;
  if (!fs::is_directory(image, problem)) {
    TACHO_TRY(hash, hash_of({.argv = {"sha256sum", "--", image.string()}}).in(image.string()));
    return "sha256:" + hash;
  }
  TACHO_TRY(text, listing(image));
  TACHO_TRY(hash, text_digest(text).in(image.string()));
  return "listing-sha256:" + hash;
}

}  // namespace tacho
