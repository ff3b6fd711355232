#include "tracing/inject/record_check.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "tracing/inject/activity_layout.h"

namespace tacho {
namespace {

// Uses a system call to read the address, so that an invalid one is an error instead of a crash.
bool is_readable(const void* address) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return false;
  const bool readable = ::write(ends[1], address, 1) == 1;
  ::close(ends[0]);
  ::close(ends[1]);
  return readable;
}

// A name may be absent, but must not begin with a control character.
bool is_name(const char* name) {
  if (name == nullptr) return true;
  if (!is_readable(name)) return false;
  const auto first = static_cast<unsigned char>(*name);
  return first == 0 || (first > 0x20 && first != 0x7f);
}

bool is_extent(std::size_t offset, const void* record, std::int32_t limit) {
  const auto extent = read_field<std::int32_t>(record, offset);
  return extent >= 0 && extent <= limit;
}

}  // namespace

bool looks_like_a_kernel(const void* record) {
  using Layout = KernelLayout;
  constexpr std::int32_t kMaxBlock = 1024;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!is_extent(Layout::grid + 4 * i, record, INT32_MAX)) return false;
    if (!is_extent(Layout::block + 4 * i, record, kMaxBlock)) return false;
  }
  return read_field<std::uint64_t>(record, Layout::end) >=
             read_field<std::uint64_t>(record, Layout::start) &&
         is_name(read_field<const char*>(record, Layout::name));
}

}  // namespace tacho
