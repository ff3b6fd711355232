#include "core/emit/append_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

namespace tacho {

Result<void> AppendFile::append(std::string_view piece) {
  const off_t before = ::lseek(fd_.get(), 0, SEEK_END);
  auto written = write_all(fd_.get(), piece, path_);
  if (written.ok() || before == ::lseek(fd_.get(), 0, SEEK_END)) return written;
  if (::ftruncate(fd_.get(), before) != 0) {
    const Error& error = written.error();
    return Error{
        error.code,
        fmt::format("{}; a partial write is left behind, because truncating failed too: {}",
                    error.message, system_error(path_, errno).message)};
  }
  return written;
}

}  // namespace tacho
