#include "machine/probe/contention_watch.h"

#include <sys/resource.h>

#include <algorithm>

namespace tacho {
namespace {

double used_s(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double used_here_s() { return used_s(RUSAGE_SELF) + used_s(RUSAGE_CHILDREN); }

}  // namespace

ContentionWatch::ContentionWatch(const std::filesystem::path& root)
    : machine_(root), ours_before_s_(used_here_s()) {}

Contention ContentionWatch::look() {
  Contention seen;
  seen.seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  seen.processors = machine_.processors();
  if (const auto machine = machine_.look()) {
    seen.others_s = std::max(0.0, machine->programs_s - (used_here_s() - ours_before_s_));
    seen.stolen_s = machine->stolen_s;
  }
  return seen;
}

}  // namespace tacho
