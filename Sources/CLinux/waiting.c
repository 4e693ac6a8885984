#define _GNU_SOURCE
#include "clinux.h"
#include "retry.h"

#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

_Static_assert(CLINUX_READABLE == EPOLLIN && CLINUX_WRITABLE == EPOLLOUT, "epoll's bits");
_Static_assert(CLINUX_FAILED == EPOLLERR && CLINUX_HUNG_UP == EPOLLHUP, "epoll's bits");

#define MOST_EVENTS 256

int32_t clinux_epoll_create(void) {
  int fd = epoll_create1(EPOLL_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

static int32_t control(int32_t epoll, int operation, int32_t fd, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data.u64 = token};
  return epoll_ctl(epoll, operation, fd, &event) < 0 ? -errno : 0;
}

int32_t clinux_epoll_add(int32_t epoll, int32_t fd, uint32_t events, uint64_t token) {
  return control(epoll, EPOLL_CTL_ADD, fd, events, token);
}
int32_t clinux_epoll_modify(int32_t epoll, int32_t fd, uint32_t events, uint64_t token) {
  return control(epoll, EPOLL_CTL_MOD, fd, events, token);
}
int32_t clinux_epoll_remove(int32_t epoll, int32_t fd) {
  return control(epoll, EPOLL_CTL_DEL, fd, 0, 0);
}

// epoll_wait counts in milliseconds, too coarse for a filter's step. epoll_pwait2 (Linux 5.11)
// takes nanoseconds; where it is missing or forbidden, round up so as not to wake too early.
static int wait_for(int epoll, struct epoll_event *events, int capacity, int64_t microseconds) {
  static atomic_int coarse;
  if (microseconds < 0) return epoll_wait(epoll, events, capacity, -1);
  if (microseconds == 0) return epoll_wait(epoll, events, capacity, 0);
  if (!atomic_load_explicit(&coarse, memory_order_relaxed)) {
    struct timespec timeout = {microseconds / 1000000, microseconds % 1000000 * 1000};
    int count = epoll_pwait2(epoll, events, capacity, &timeout, NULL);
    if (count >= 0 || (errno != ENOSYS && errno != EPERM)) return count;
    atomic_store_explicit(&coarse, 1, memory_order_relaxed);
  }
  int64_t milliseconds = microseconds / 1000 + (microseconds % 1000 != 0);
  return epoll_wait(epoll, events, capacity, milliseconds > 1 << 30 ? 1 << 30 : (int)milliseconds);
}

int32_t clinux_epoll_wait(
    int32_t epoll, struct clinux_ready *ready, int32_t capacity, int64_t microseconds) {
  struct epoll_event events[MOST_EVENTS];
  int count = wait_for(epoll, events, capacity < MOST_EVENTS ? capacity : MOST_EVENTS, microseconds);
  if (count < 0) return errno == EINTR ? 0 : -errno;
  for (int i = 0; i < count; i++) {
    ready[i].token = events[i].data.u64;
    ready[i].events = events[i].events;
  }
  return count;
}

int32_t clinux_timer_create(void) {
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

int32_t clinux_timer_set(int32_t fd, int64_t microseconds) {
  struct itimerspec when = {0};
  if (microseconds > 0) {
    when.it_value.tv_sec = microseconds / 1000000;
    when.it_value.tv_nsec = microseconds % 1000000 * 1000;
  }
  return timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL) < 0 ? -errno : 0;
}

int32_t clinux_event_create(void) {
  int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

static sigset_t set_of(const int32_t *signals, size_t count) {
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < count; i++) sigaddset(&set, signals[i]);
  return set;
}

int32_t clinux_signal_create(const int32_t *signals, size_t count) {
  sigset_t set = set_of(signals, count);
  int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

int32_t clinux_signal_block(const int32_t *signals, size_t count) {
  sigset_t set = set_of(signals, count);
  return -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int32_t clinux_signal_unblock(const int32_t *signals, size_t count) {
  sigset_t set = set_of(signals, count);
  return -pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int32_t clinux_signal_ignore(int32_t number) {
  return signal(number, SIG_IGN) == SIG_ERR ? -errno : 0;
}

int32_t clinux_signal_read(int32_t fd, int32_t *number) {
  struct signalfd_siginfo info;
  ssize_t count = RETRY(read(fd, &info, sizeof info));
  if (count < 0) return (int32_t)count;
  *number = (int32_t)info.ssi_signo;
  return 0;
}

static int64_t nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clinux_monotonic_microseconds(void) { return nanoseconds(CLOCK_MONOTONIC) / 1000; }
int64_t clinux_monotonic_nanoseconds(void) { return nanoseconds(CLOCK_MONOTONIC); }

void clinux_sleep(int64_t microseconds) {
  if (microseconds <= 0) return;
  struct timespec left = {microseconds / 1000000, microseconds % 1000000 * 1000};
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
  }
}

int32_t clinux_watch_create(void) {
  int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

int32_t clinux_watch_entries(int32_t fd, const char *path) {
  // Attributes: a node's permissions are set after it appears.
  uint32_t wanted = IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE | IN_ONLYDIR;
  return inotify_add_watch(fd, path, wanted) < 0 ? -errno : 0;
}

int32_t clinux_watch_creation(int32_t fd, const char *path) {
  return inotify_add_watch(fd, path, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR) < 0 ? -errno : 0;
}
