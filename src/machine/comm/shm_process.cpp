#include "machine/comm/shm_process.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <optional>
#include <string_view>

#include "base/file.h"

namespace tacho {
namespace {

struct ProcessStat {
  char state = '?';
  std::uint64_t started = 0;
};

// The process name may contain spaces and brackets, so the fields begin after the last bracket.
std::optional<ProcessStat> parse_stat(std::string_view text) {
  const auto name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= text.size()) return std::nullopt;
  text.remove_prefix(name_end + 2);
  ProcessStat stat{text[0], 0};
  constexpr int kFieldsToTheStart = 19;
  for (int i = 0; i < kFieldsToTheStart; ++i) {
    const auto blank = text.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    text.remove_prefix(blank + 1);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), stat.started);
  if (error != std::errc{}) return std::nullopt;
  return stat;
}

std::optional<ProcessStat> stat_of(std::int32_t pid) {
  const auto text = read_file(fmt::format("/proc/{}/stat", pid));
  return text.ok() ? parse_stat(*text) : std::nullopt;
}

}  // namespace

ProcessIdentity ProcessIdentity::of_self() {
  ProcessIdentity self{.pid = ::getpid()};
  if (const auto stat = stat_of(self.pid)) self.started = stat->started;
  struct stat status {};
  if (::stat("/proc/self/ns/pid", &status) == 0) self.pid_namespace = status.st_ino;
  return self;
}

bool ProcessIdentity::is_gone() const {
  if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
  if (started == 0) return false;
  const auto stat = stat_of(pid);
  return !stat || stat->started != started || stat->state == 'Z' || stat->state == 'X';
}

}  // namespace tacho
