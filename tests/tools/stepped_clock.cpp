// Loaded into a program by LD_PRELOAD: half a second after its start the wall clock is set forward
// by an hour, as a time server may do. The monotonic clock goes on as it is.
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <ctime>

namespace {

constexpr long long kSecond = 1'000'000'000;

long long read_clock(clockid_t clock, timespec& time) {
  ::syscall(SYS_clock_gettime, clock, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

long long monotonic_now() {
  timespec time{};
  return read_clock(CLOCK_MONOTONIC, time);
}

const long long began = monotonic_now();

void set_forward(timespec& time) {
  if (monotonic_now() - began > kSecond / 2) time.tv_sec += 3600;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) {
  const long result = ::syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && clock == CLOCK_REALTIME) set_forward(*time);
  return static_cast<int>(result);
}

extern "C" int gettimeofday(timeval* now, void* /*zone*/) {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  *now = {time.tv_sec, time.tv_nsec / 1000};
  return 0;
}

extern "C" time_t time(time_t* out) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}
