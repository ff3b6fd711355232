#include "training/data/gz_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/file.h"

namespace tacho {
namespace {

constexpr unsigned kInflateBuffer = 1 << 17;
constexpr std::size_t kMaxRead = 1 << 30;  // gzread counts in an int

}  // namespace

Result<GzFile> GzFile::open(const std::filesystem::path& path) {
  errno = 0;
  Handle handle(::gzopen(path.c_str(), "rbe"));  // e: close on exec
  if (!handle) return system_error(path, errno != 0 ? errno : ENOMEM);
  ::gzbuffer(handle.get(), kInflateBuffer);
  return GzFile(std::move(handle), path);
}

Result<std::size_t> GzFile::read(std::span<char> out) {
  std::size_t filled = 0;
  while (filled < out.size()) {
    const auto room = static_cast<unsigned>(std::min(out.size() - filled, kMaxRead));
    const int got = ::gzread(handle_.get(), out.data() + filled, room);
    if (got > 0) {
      filled += static_cast<std::size_t>(got);
      continue;
    }
    const int system_says = errno;
    int zlib_says = Z_OK;
    ::gzerror(handle_.get(), &zlib_says);
    if (zlib_says == Z_OK) break;
    if (zlib_says == Z_ERRNO) return system_error(path_, system_says);
    return Error{ErrorCode::invalid,
                 fmt::format("{}: the compressed data {}", path_.string(),
                             zlib_says == Z_BUF_ERROR ? "is truncated" : "is damaged")};
  }
  return filled;
}

Result<std::string> read_content(const std::filesystem::path& path, Bytes limit) {
  TACHO_TRY(file, GzFile::open(path));
  std::string content;
  std::vector<char> buffer(1 << 16);
  while (true) {
    TACHO_TRY(got, file.read(buffer));
    content.append(buffer.data(), got);
    if (static_cast<std::int64_t>(content.size()) > limit.count) {
      return Error{ErrorCode::invalid,
                   fmt::format("{}: larger than the limit of {}", path.string(), human(limit))};
    }
    if (got < buffer.size()) return content;
  }
}

}  // namespace tacho
