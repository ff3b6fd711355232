// For LD_PRELOAD: once the file $STEP_CLOCK_AT exists, the wall clock is an hour ahead, as after a
// correction by a time server. The monotonic clock is not changed.
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

extern "C" int clock_gettime(clockid_t clock, timespec* time) {
  const long result = ::syscall(SYS_clock_gettime, clock, time);
  const char* file = std::getenv("STEP_CLOCK_AT");
  const bool stepped = file != nullptr && ::access(file, F_OK) == 0;
  if (result == 0 && clock == CLOCK_REALTIME && stepped) time->tv_sec += 3600;
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
