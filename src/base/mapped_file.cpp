#include "base/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/file.h"

namespace tacho {

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  // A pipe would block until someone writes to it.
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return system_error(path, errno);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return system_error(path, errno);
  if (!S_ISREG(status.st_mode)) {
    return Error{ErrorCode::invalid, fmt::format("{}: not a file", path.string())};
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return MappedFile({});
  void* begin = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (begin == MAP_FAILED) return system_error(path, errno);
  return MappedFile({static_cast<const std::uint8_t*>(begin), size});
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

}  // namespace tacho
