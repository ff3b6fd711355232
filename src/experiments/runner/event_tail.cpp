#include "experiments/runner/event_tail.h"

#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/confined_file.h"

namespace tacho {

Result<std::vector<Event>> EventTail::read_new(std::size_t most) {
  const auto opened = open_confined(file_.parent_path(), file_.filename());
  if (!opened.ok() && opened.error().code == ErrorCode::not_found) return std::vector<Event>{};
  if (!opened.ok()) return opened.error();
  const int fd = opened->get();
  std::string fresh;
  std::array<char, 1 << 16> buffer;
  while (fresh.size() < most) {
    const ssize_t got =
        ::pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(position_ + fresh.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(file_, errno);
    if (got == 0) break;
    fresh.append(buffer.data(), static_cast<std::size_t>(got));
  }
  position_ += fresh.size();
  return parser_.feed(fresh).in(file_.string());
}

}  // namespace tacho
