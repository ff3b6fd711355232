#include "base/confined_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

namespace tacho {
namespace {

namespace fs = std::filesystem;

Error not_confined(const fs::path& folder, const fs::path& file) {
  return {ErrorCode::invalid,
          fmt::format("{}: not a regular file inside the folder; links, pipes and devices are not "
                      "followed",
                      (folder / file).string())};
}

// Returns the path components from the folder to the file; empty if the file is not below it.
std::vector<std::string> names_below(const fs::path& folder, const fs::path& file) {
  const auto [end, behind] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  fs::path inside = end == folder.end() ? fs::path() : file;
  for (auto name = behind; end == folder.end() && name != file.end(); ++name) inside /= *name;
  inside = inside.lexically_normal();
  if (inside.is_absolute()) return {};
  std::vector<std::string> names;
  for (const fs::path& name : inside) {
    if (name.empty() || name == "." || name == "..") return {};
    names.push_back(name.string());
  }
  return names;
}

}  // namespace

Result<UniqueFd> open_confined(const fs::path& folder, const fs::path& file, int flags) {
  const auto names = names_below(folder, file);
  if (names.empty()) return not_confined(folder, file);
  UniqueFd at(::open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!at) return system_error(folder / file, errno);
  constexpr mode_t kMode = 0644;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool last = i + 1 == names.size();
    const int how = last ? flags | O_NONBLOCK | O_NOCTTY : O_PATH | O_DIRECTORY;
    UniqueFd next(::openat(at.get(), names[i].c_str(), how | O_NOFOLLOW | O_CLOEXEC, kMode));
    // ENOTDIR: a link in the middle of the path. ENXIO: a pipe without a reader, or a socket.
    if (!next && (errno == ELOOP || errno == ENOTDIR || errno == ENXIO || errno == EISDIR)) {
      return not_confined(folder, file);
    }
    if (!next) return system_error(folder / file, errno);
    at = std::move(next);
  }
  struct stat status {};
  if (::fstat(at.get(), &status) != 0) return system_error(folder / file, errno);
  if (!S_ISREG(status.st_mode)) return not_confined(folder, file);
  return at;
}

Result<std::string> read_rest(int fd, const fs::path& path, Bytes limit) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return system_error(path, errno);
  if (status.st_size > limit.count) {
    return Error{ErrorCode::invalid,
                 fmt::format("{}: {} is larger than the {} allowed here", path.string(),
                             human(Bytes{status.st_size}), human(limit))};
  }
  std::string content;
  content.reserve(static_cast<std::size_t>(status.st_size));
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got == 0) return content;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(path, errno);
    content.append(buffer.data(), static_cast<std::size_t>(got));
    // Files of /proc claim size 0, and a file may grow while it is read.
    if (static_cast<std::int64_t>(content.size()) > limit.count) {
      return Error{ErrorCode::invalid,
                   fmt::format("{}: larger than the {} allowed here", path.string(), human(limit))};
    }
  }
}

Result<std::string> read_confined(const fs::path& folder, const fs::path& file, Bytes limit) {
  TACHO_TRY(fd, open_confined(folder, file));
  return read_rest(fd.get(), file, limit);
}

}  // namespace tacho
