#include "machine/env/image_digest.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "base/file.h"
#include "base/sha256.h"
#include "base/subprocess.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kLongestHash{5};

// An image has gigabytes, and sha256sum uses the processor's instructions for this.
Result<std::string> hash_of(const fs::path& file) {
  TACHO_TRY(hashed, capture({.argv = {"sha256sum", "--", file.string()}}, kLongestHash));
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

Result<std::string> image_digest(const fs::path& image) {
  std::error_code problem;
  if (!fs::is_directory(image, problem)) {
    TACHO_TRY(hash, hash_of(image).in(image.string()));
    return "sha256:" + hash;
  }
  TACHO_TRY(text, listing(image));
  return "listing-sha256:" + hex(Sha256::of(text));
}

}  // namespace tacho
