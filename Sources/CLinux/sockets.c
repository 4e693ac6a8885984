#define _GNU_SOURCE
#include "clinux.h"
#include "retry.h"

#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/uio.h>

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif

int32_t clinux_unix_socket(void) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  return fd < 0 ? -errno : fd;
}

int32_t clinux_unix_pair(int32_t *two) {
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, two) < 0 ? -errno : 0;
}

static int32_t address_of(const char *path, struct sockaddr_un *address) {
  size_t length = strlen(path);
  if (length == 0) return -ENOENT;
  if (length >= sizeof address->sun_path) return -ENAMETOOLONG;
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, length + 1);
  return 0;
}

int32_t clinux_unix_bind(int32_t fd, const char *path) {
  struct sockaddr_un address;
  int32_t bad = address_of(path, &address);
  if (bad) return bad;
  // The file takes the mode of the unbound socket (unix_bind in net/unix/af_unix.c), so there is
  // no moment at which the process's umask decides who may connect.
  if (fchmod(fd, 0) < 0) return -errno;
  return RETRY(bind(fd, (struct sockaddr *)&address, sizeof address));
}

int32_t clinux_unix_listen(int32_t fd, int32_t backlog) {
  return listen(fd, backlog) < 0 ? -errno : 0;
}

int32_t clinux_unix_connect(int32_t fd, const char *path) {
  struct sockaddr_un address;
  int32_t bad = address_of(path, &address);
  if (bad) return bad;
  return RETRY(connect(fd, (struct sockaddr *)&address, sizeof address));
}

int32_t clinux_unix_accept(int32_t fd) {
  return RETRY(accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

int64_t clinux_send(int32_t fd, const void *bytes, size_t count) {
  return RETRY(send(fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT));
}

int64_t clinux_send_two(
    int32_t fd, const void *first, size_t first_count, const void *second, size_t second_count) {
  struct iovec parts[2] = {{(void *)first, first_count}, {(void *)second, second_count}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  return RETRY(sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT));
}

int64_t clinux_receive(int32_t fd, void *bytes, size_t count) {
  return RETRY(recv(fd, bytes, count, MSG_DONTWAIT));
}

int32_t clinux_peer_credentials(int32_t fd, struct clinux_credentials *out) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return -errno;
  out->process = peer.pid;
  out->user = peer.uid;
  out->group = peer.gid;
  return 0;
}

int32_t clinux_peer_groups(int32_t fd, uint32_t *groups, int32_t capacity) {
  socklen_t size = (socklen_t)((size_t)capacity * sizeof *groups);
  if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0 && errno != ERANGE)
    return -errno;
  return (int32_t)(size / sizeof *groups);
}

int32_t clinux_set_send_buffer(int32_t fd, int32_t bytes) {
  return setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes) < 0 ? -errno : 0;
}

int32_t clinux_unix_path(int32_t fd, char *path, size_t size) {
  struct sockaddr_un address;
  socklen_t length = sizeof address;
  memset(&address, 0, sizeof address);
  if (getsockname(fd, (struct sockaddr *)&address, &length) < 0) return -errno;
  if (address.sun_family != AF_UNIX || size == 0) return -EINVAL;
  // The kernel may fill the array without a NUL, and an abstract name begins with one.
  size_t count = strnlen(address.sun_path, sizeof address.sun_path);
  if (count >= size) return -ENAMETOOLONG;
  memcpy(path, address.sun_path, count);
  path[count] = 0;
  return 0;
}

int32_t clinux_is_listening_unix_socket(int32_t fd) {
  struct sockaddr_un address;
  socklen_t size = sizeof address;
  if (getsockname(fd, (struct sockaddr *)&address, &size) < 0) return -errno;
  if (address.sun_family != AF_UNIX) return 0;
  int listening = 0;
  size = sizeof listening;
  if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) < 0) return -errno;
  return listening != 0;
}

int32_t clinux_socket_drops(int32_t fd, uint32_t *drops) {
  uint32_t memory[SK_MEMINFO_VARS] = {0};
  socklen_t size = sizeof memory;
  if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, memory, &size) < 0) return -errno;
  *drops = memory[SK_MEMINFO_DROPS];
  return 0;
}
