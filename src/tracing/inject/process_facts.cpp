#include "tracing/inject/process_facts.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace tacho {
namespace {

std::int64_t unix_now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::string command_line_of_this_process() {
  std::array<char, 4096> words{};
  const int fd = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  const ssize_t got = ::read(fd, words.data(), words.size());
  ::close(fd);
  std::string line(words.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  while (!line.empty() && line.back() == '\0') line.pop_back();
  std::replace(line.begin(), line.end(), '\0', ' ');
  return line;
}

std::int64_t cupti_to_unix_ns(const CuptiApi& api) {
  // The pair of clocks that was read fastest is the most exact.
  std::int64_t best = 0;
  std::int64_t shortest = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    std::uint64_t there = 0;
    const std::int64_t before = unix_now_ns();
    if (api.get_timestamp(&there) != kCuptiSuccess) return 0;
    const std::int64_t after = unix_now_ns();
    if (after - before < shortest) {
      shortest = after - before;
      best = before + (after - before) / 2 - static_cast<std::int64_t>(there);
    }
  }
  return best;
}

}  // namespace tacho
