#include "training/weights/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace tacho {

Result<InputFile> InputFile::open(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return system_error(path, errno);
  return take(std::move(fd), path);
}

Result<InputFile> InputFile::take(UniqueFd fd, std::filesystem::path path) {
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return system_error(path, errno);
  if (!S_ISREG(status.st_mode)) {
    return Error{ErrorCode::invalid, fmt::format("{}: not a regular file", path.string())};
  }
  return InputFile(std::move(fd), std::move(path), static_cast<std::size_t>(status.st_size));
}

Result<void> InputFile::read(void* out, std::size_t size, std::size_t offset) const {
  auto* at = static_cast<char*>(out);
  while (size > 0) {
    const ssize_t got = ::pread(fd_.get(), at, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(path_, errno);
    if (got == 0) {
      return Error{ErrorCode::invalid, fmt::format("{}: it is truncated", path_.string())};
    }
    at += got;
    size -= static_cast<std::size_t>(got);
    offset += static_cast<std::size_t>(got);
  }
  return {};
}

Result<std::string> InputFile::bytes(std::size_t size, std::size_t offset) const {
  // Before allocating: `size` may be what a damaged file claims.
  if (size > size_ || offset > size_ - size) {
    return Error{ErrorCode::invalid, fmt::format("{}: it is truncated", path_.string())};
  }
  std::string text(size, '\0');
  TACHO_CHECK(read(text.data(), size, offset));
  return text;
}

}  // namespace tacho
