#include "training/image/file_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/file.h"
#include "base/units.h"

namespace tacho {
namespace {

constexpr Bytes kLargest{1 << 30};

Error cannot_read(int error_number) {
  return {error_number == ENOENT ? ErrorCode::not_found : ErrorCode::io,
          "cannot be read: " + std::error_code(error_number, std::generic_category()).message()};
}

}  // namespace

Result<std::span<const std::uint8_t>> FileBytes::read(const std::filesystem::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return cannot_read(errno);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return cannot_read(errno);
  if (S_ISDIR(status.st_mode)) return cannot_read(EISDIR);
  if (status.st_size > kLargest.count) {
    return Error{ErrorCode::invalid, fmt::format("{} exceeds the limit of {} for an image",
                                                 human(Bytes{status.st_size}), human(kLargest))};
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (bytes_.size() < size) bytes_.resize(size);
  std::size_t got = 0;
  while (got < size) {
    const ssize_t more = ::read(fd.get(), bytes_.data() + got, size - got);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return cannot_read(errno);
    if (more == 0) break;  // the file was truncated meanwhile: the decoder will notice
    got += static_cast<std::size_t>(more);
  }
  return std::span<const std::uint8_t>(bytes_.data(), got);
}

void FileBytes::release_memory_above(std::size_t bytes) {
  if (bytes_.size() > bytes) bytes_ = {};
}

}  // namespace tacho
