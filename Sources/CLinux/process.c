#define _GNU_SOURCE
#include "clinux.h"
#include "retry.h"

#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

int32_t clinux_process_id(void) { return getpid(); }
uint32_t clinux_effective_user_id(void) { return geteuid(); }
uint32_t clinux_effective_group_id(void) { return getegid(); }

int32_t clinux_process_groups(uint32_t *groups, int32_t capacity) {
  int count = getgroups(capacity, groups);
  return count < 0 ? -errno : count;
}

int32_t clinux_current_folder(char *path, size_t size) {
  return getcwd(path, size) ? 0 : -errno;
}

const char *clinux_environment(const char *name) { return getenv(name); }

// Entries have no size limit: the look-up is made again with more room until it fits.
#define LOOK_UP(call)                                                      \
  size_t size = 1024;                                                      \
  char *room = NULL;                                                       \
  int failure;                                                             \
  do {                                                                     \
    size *= 2;                                                             \
    char *more = realloc(room, size);                                      \
    if (!more) {                                                           \
      free(room);                                                          \
      return -ENOMEM;                                                      \
    }                                                                      \
    room = more;                                                           \
    failure = (call);                                                      \
  } while (failure == EINTR || (failure == ERANGE && size < (1u << 24)))

// "Not found" comes as success without an entry or as one of several errors, see getpwnam(3).
static int32_t outcome(int failure, const void *found) {
  if (found) return 0;
  if (failure == 0 || failure == ESRCH || failure == EBADF || failure == EPERM) return -ENOENT;
  return -failure;
}

int32_t clinux_group_id(const char *name, uint32_t *group) {
  struct group entry, *found = NULL;
  LOOK_UP(getgrnam_r(name, &entry, room, size, &found));
  if (found) *group = entry.gr_gid;
  free(room);
  return outcome(failure, found);
}

static int32_t copy_name(const char *from, char *to, size_t capacity) {
  size_t length = strlen(from);
  if (length >= capacity) return -ENAMETOOLONG;
  memcpy(to, from, length + 1);
  return 0;
}

int32_t clinux_group_name(uint32_t group, char *name, size_t capacity) {
  struct group entry, *found = NULL;
  LOOK_UP(getgrgid_r(group, &entry, room, size, &found));
  int32_t result = found ? copy_name(entry.gr_name, name, capacity) : outcome(failure, NULL);
  free(room);
  return result;
}

int32_t clinux_user_name(uint32_t user, char *name, size_t capacity) {
  struct passwd entry, *found = NULL;
  LOOK_UP(getpwuid_r(user, &entry, room, size, &found));
  int32_t result = found ? copy_name(entry.pw_name, name, capacity) : outcome(failure, NULL);
  free(room);
  return result;
}

int32_t clinux_is_terminal(int32_t fd) { return isatty(fd); }

int32_t clinux_terminal_size(int32_t fd, uint16_t *columns, uint16_t *rows) {
  struct winsize size;
  if (ioctl(fd, TIOCGWINSZ, &size) < 0) return -errno;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 0;
}

void clinux_exit(int32_t status) { _exit(status); }

void clinux_error_text(int32_t number, char *text, size_t capacity) {
  if (capacity == 0) return;
  const char *words = strerror_r(number, text, capacity);
  if (words != text) {
    strncpy(text, words, capacity - 1);
    text[capacity - 1] = 0;
  }
}

int32_t clinux_fifo_priority(int32_t priority) {
  struct sched_param parameters = {.sched_priority = priority};
  return sched_setscheduler(0, SCHED_FIFO, &parameters) < 0 ? -errno : 0;
}

int32_t clinux_current_fifo_priority(void) {
  int policy = sched_getscheduler(0);
  if (policy < 0) return -errno;
  struct sched_param parameters;
  if ((policy & ~SCHED_RESET_ON_FORK) != SCHED_FIFO) return 0;
  return sched_getparam(0, &parameters) < 0 ? -errno : parameters.sched_priority;
}

int32_t clinux_normal_priority(void) {
  struct sched_param parameters = {.sched_priority = 0};
  return sched_setscheduler(0, SCHED_OTHER, &parameters) < 0 ? -errno : 0;
}

int32_t clinux_raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
  if (limit.rlim_cur == limit.rlim_max) return 0;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &limit) < 0 ? -errno : 0;
}

int32_t clinux_descriptor_limit(uint64_t *most) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
  *most = limit.rlim_cur;
  return 0;
}

static void *nothing(void *argument) { return argument; }

int32_t clinux_try_thread(void) {
  pthread_t thread;
  int error = pthread_create(&thread, NULL, nothing, NULL);
  return error ? -error : -pthread_join(thread, NULL);
}

int32_t clinux_limit_realtime(int64_t microseconds) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_RTTIME, &limit) < 0) return -errno;
  limit.rlim_cur = (rlim_t)microseconds;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_cur > limit.rlim_max)
    limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_RTTIME, &limit) < 0 ? -errno : 0;
}

int32_t clinux_lock_memory(void) {
  return mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) < 0 ? -errno : 0;
}

int32_t clinux_timer_slack(uint64_t nanoseconds) {
  return prctl(PR_SET_TIMERSLACK, (unsigned long)nanoseconds, 0, 0, 0) < 0 ? -errno : 0;
}
