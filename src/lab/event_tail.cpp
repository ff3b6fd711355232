#include "lab/event_tail.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/file.h"

namespace tacho {

Result<std::vector<Event>> EventTail::read_new() {
  const UniqueFd fd(::open(file_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd && errno == ENOENT) return std::vector<Event>{};
  if (!fd) return system_error(file_, errno);
  std::string fresh;
  std::array<char, 1 << 16> buffer;
  while (true) {
    const ssize_t got = ::pread(fd.get(), buffer.data(), buffer.size(),
                                static_cast<off_t>(position_ + fresh.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(file_, errno);
    if (got == 0) break;
    fresh.append(buffer.data(), static_cast<std::size_t>(got));
  }
  position_ += fresh.size();
  return parser_.feed(fresh).in(file_.string());
}

}  // namespace tacho
