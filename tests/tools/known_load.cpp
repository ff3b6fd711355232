// Uses exactly as much as requested, to check instruments against a known load:
//
//   known_load touch MIB | write FILE MIB | burn SECONDS | sleep SECONDS | threads N …
//
// "burn" runs until this process has used that much CPU time. Prints CPU time and wall time in
// seconds, as measured by itself.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kMiB = 1 << 20;

double clock_seconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

bool touch(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  std::memset(memory, 1, bytes);
  return true;  // kept until the process ends
}

bool write_file(const char* path, std::size_t bytes) {
  static char block[kMiB / 4];
  const int fd = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  for (std::size_t done = 0; done < bytes; done += sizeof block) {
    if (::write(fd, block, sizeof block) != ssize_t{sizeof block}) return false;
  }
  return ::fsync(fd) == 0 && ::close(fd) == 0;
}

void burn(double until) {
  volatile double sink = 1;
  while (clock_seconds(CLOCK_PROCESS_CPUTIME_ID) < until) {
    for (int i = 0; i < 1000; ++i) sink = sink * 1.0000001;
  }
}

void sleep_for(double seconds) {
  timespec left{
      static_cast<time_t>(seconds),
      static_cast<long>((seconds - static_cast<double>(static_cast<time_t>(seconds))) * 1e9)};
  while (::nanosleep(&left, &left) != 0) {
  }
}

bool carry_out(int count, char** words) {
  std::vector<std::jthread> threads;
  for (int at = 1; at + 1 < count; at += 2) {
    const std::string_view what = words[at];
    const char* amount = words[at + 1];
    if (what == "touch") {
      if (!touch(std::strtoull(amount, nullptr, 10) * kMiB)) return false;
    } else if (what == "burn") {
      burn(std::strtod(amount, nullptr));
    } else if (what == "sleep") {
      sleep_for(std::strtod(amount, nullptr));
    } else if (what == "threads") {
      for (long i = 0; i < std::strtol(amount, nullptr, 10); ++i) {
        threads.emplace_back([](const std::stop_token& stop) {
          while (!stop.stop_requested()) sleep_for(0.05);
        });
      }
    } else if (what == "write" && at + 2 < count) {
      if (!write_file(amount, std::strtoull(words[at + 2], nullptr, 10) * kMiB)) return false;
      ++at;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int count, char** words) {
  const double begin = clock_seconds(CLOCK_MONOTONIC);
  if (!carry_out(count, words)) {
    std::perror("known_load");
    return 1;
  }
  std::printf("%.6f %.6f\n", clock_seconds(CLOCK_PROCESS_CPUTIME_ID),
              clock_seconds(CLOCK_MONOTONIC) - begin);
  return 0;
}
