// What the programs of the benchmark share.
#pragma once
#define _GNU_SOURCE
#include <errno.h>
#include <linux/input.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

__attribute__((noreturn, format(printf, 1, 2))) static inline void die(const char *format, ...) {
  va_list words;
  va_start(words, format);
  vfprintf(stderr, format, words);
  va_end(words);
  fprintf(stderr, errno ? ": %s\n" : "\n", strerror(errno));
  exit(1);
}

static inline int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline struct sockaddr_un unix_address(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) die("%s is too long a path", path);
  strcpy(address.sun_path, path);
  return address;
}

static inline int unix_listen(const char *path) {
  struct sockaddr_un address = unix_address(path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  unlink(path);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 1024))
    die("cannot listen on %s", path);
  return fd;
}

static inline int unix_connect(const char *path) {
  struct sockaddr_un address = unix_address(path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address))
    die("cannot connect to %s", path);
  return fd;
}

static inline void watch(int poll, int fd, uint64_t token) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = token};
  if (epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event)) die("cannot watch a descriptor");
}

// A thousand clients need more descriptors than a shell gives.
static inline void raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit)) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}
