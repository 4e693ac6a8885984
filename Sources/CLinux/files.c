#define _GNU_SOURCE
#include "clinux.h"
#include "retry.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

int32_t clinux_open(const char *path, int32_t flags, uint32_t mode) {
  return RETRY(open(path, flags | O_CLOEXEC, (mode_t)mode));
}

// Linux has let go of the number even when close says EINTR: never close twice.
void clinux_close(int32_t fd) { close(fd); }

int32_t clinux_duplicate(int32_t fd) { return RETRY(fcntl(fd, F_DUPFD_CLOEXEC, 0)); }

int32_t clinux_set_nonblocking(int32_t fd) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return -errno;
  return fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? -errno : 0;
}

int64_t clinux_read(int32_t fd, void *bytes, size_t count) {
  return RETRY(read(fd, bytes, count));
}

int64_t clinux_write(int32_t fd, const void *bytes, size_t count) {
  return RETRY(write(fd, bytes, count));
}

int32_t clinux_sync(int32_t fd) { return RETRY(fsync(fd)); }
int32_t clinux_unlink(const char *path) { return RETRY(unlink(path)); }
int32_t clinux_rename(const char *from, const char *to) { return RETRY(rename(from, to)); }
int32_t clinux_make_directory(const char *path, uint32_t mode) {
  return RETRY(mkdir(path, (mode_t)mode));
}
int32_t clinux_remove_directory(const char *path) { return RETRY(rmdir(path)); }
int32_t clinux_change_mode(const char *path, uint32_t mode) {
  return RETRY(chmod(path, (mode_t)mode));
}
int32_t clinux_change_group(const char *path, uint32_t group) {
  return RETRY(lchown(path, (uid_t)-1, (gid_t)group));
}

int32_t clinux_file_status(const char *path, int32_t follow, struct clinux_file_status *out) {
  struct stat status;
  if ((follow ? stat(path, &status) : lstat(path, &status)) < 0) return -errno;
  out->device = status.st_dev;
  out->inode = status.st_ino;
  out->size = status.st_size;
  out->mode = status.st_mode;
  out->user = status.st_uid;
  out->group = status.st_gid;
  return 0;
}

void *clinux_open_directory(const char *path, int32_t *error) {
  DIR *directory = opendir(path);
  *error = directory ? 0 : errno;
  return directory;
}

const char *clinux_next_entry(void *directory, int32_t *error) {
  errno = 0;
  struct dirent *entry = readdir(directory);
  *error = entry ? 0 : errno;
  return entry ? entry->d_name : NULL;
}

void clinux_close_directory(void *directory) { closedir(directory); }

int32_t clinux_lock_exclusively(int32_t fd) { return RETRY(flock(fd, LOCK_EX | LOCK_NB)); }

int32_t clinux_pipe(int32_t *two) { return pipe2(two, O_CLOEXEC | O_NONBLOCK) < 0 ? -errno : 0; }
