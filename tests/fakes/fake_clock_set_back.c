// To be preloaded: the wall clock is set back by an hour whenever somebody looks at it; other clocks are as they are.
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static time_t set_back(time_t now) {
  static time_t looks = 0;
  return now - 3600 * ++looks;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  const int status = (int)syscall(SYS_clock_gettime, clock, now);
  if (status == 0 && clock == CLOCK_REALTIME) now->tv_sec = set_back(now->tv_sec);
  return status;
}

time_t time(time_t* result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}
