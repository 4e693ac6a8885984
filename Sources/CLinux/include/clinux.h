#pragma once
// Plain functions over what Swift cannot call by itself: variadic system calls, macros, packed
// structures. Every function that can fail returns -errno then, and 0 or a count otherwise; calls
// that a signal interrupts are made again, but for waits, which return early.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "child_process.h"
#include "getopt_shim.h"

#pragma clang assume_nonnull begin

// Files.
enum {
  CLINUX_O_RDONLY = O_RDONLY,
  CLINUX_O_WRONLY = O_WRONLY,
  CLINUX_O_RDWR = O_RDWR,
  CLINUX_O_NONBLOCK = O_NONBLOCK,
  CLINUX_O_CREAT = O_CREAT,
  CLINUX_O_TRUNC = O_TRUNC,
  CLINUX_O_APPEND = O_APPEND,
  CLINUX_O_DIRECTORY = O_DIRECTORY,
};
struct clinux_file_status {
  uint64_t device, inode;
  int64_t size;
  uint32_t mode, user, group;
};
int32_t clinux_open(const char *path, int32_t flags, uint32_t mode);
void clinux_close(int32_t fd);
int32_t clinux_duplicate(int32_t fd);
int32_t clinux_set_nonblocking(int32_t fd);
int64_t clinux_read(int32_t fd, void *_Nullable bytes, size_t count);
int64_t clinux_write(int32_t fd, const void *_Nullable bytes, size_t count);
int32_t clinux_sync(int32_t fd);
int32_t clinux_unlink(const char *path);
int32_t clinux_rename(const char *from, const char *to);
int32_t clinux_make_directory(const char *path, uint32_t mode);
int32_t clinux_remove_directory(const char *path);
int32_t clinux_change_mode(const char *path, uint32_t mode);
int32_t clinux_change_group(const char *path, uint32_t group);
int32_t clinux_file_status(
    const char *path, int32_t follow, struct clinux_file_status *out);
void *_Nullable clinux_open_directory(
    const char *path, int32_t *error);
// NULL at the end, or when *error is not 0.
const char *_Nullable clinux_next_entry(
    void *directory, int32_t *error);
void clinux_close_directory(void *directory);
int32_t clinux_lock_exclusively(int32_t fd);
int32_t clinux_pipe(int32_t *two);

// Waiting.
enum {
  CLINUX_READABLE = 0x001,
  CLINUX_WRITABLE = 0x004,
  CLINUX_FAILED = 0x008,
  CLINUX_HUNG_UP = 0x010,
};
struct clinux_ready {
  uint64_t token;
  uint32_t events;
};
int32_t clinux_epoll_create(void);
int32_t clinux_epoll_add(int32_t epoll, int32_t fd, uint32_t events, uint64_t token);
int32_t clinux_epoll_modify(int32_t epoll, int32_t fd, uint32_t events, uint64_t token);
int32_t clinux_epoll_remove(int32_t epoll, int32_t fd);
// At most 256 at once. Below 0 microseconds: for ever.
int32_t clinux_epoll_wait(
    int32_t epoll, struct clinux_ready *ready, int32_t capacity,
    int64_t microseconds);
int32_t clinux_timer_create(void);
// Absolute, monotonic; at or before 0 disarms.
int32_t clinux_timer_set(int32_t fd, int64_t microseconds);
int32_t clinux_event_create(void);
int32_t clinux_signal_create(const int32_t *signals, size_t count);
int32_t clinux_signal_block(const int32_t *signals, size_t count);
int32_t clinux_signal_unblock(const int32_t *signals, size_t count);
int32_t clinux_signal_ignore(int32_t signal);
int32_t clinux_signal_read(int32_t fd, int32_t *signal);
int32_t clinux_watch_create(void);
// Entries of the directory that appear, change their attributes or go.
int32_t clinux_watch_entries(int32_t fd, const char *path);
// Entries that appear.
int32_t clinux_watch_creation(int32_t fd, const char *path);
int64_t clinux_monotonic_microseconds(void);
int64_t clinux_monotonic_nanoseconds(void);
void clinux_sleep(int64_t microseconds);

// Unix sockets.
struct clinux_credentials {
  int32_t process;
  uint32_t user, group;
};
int32_t clinux_unix_socket(void);
int32_t clinux_unix_pair(int32_t *two);
// The file is made with mode 0: nobody but root gets in before clinux_change_mode.
int32_t clinux_unix_bind(int32_t fd, const char *path);
int32_t clinux_unix_listen(int32_t fd, int32_t backlog);
int32_t clinux_unix_connect(int32_t fd, const char *path);
int32_t clinux_unix_accept(int32_t fd);
int64_t clinux_send(int32_t fd, const void *_Nullable bytes, size_t count);
int64_t clinux_send_two(
    int32_t fd, const void *_Nullable first, size_t first_count,
    const void *_Nullable second, size_t second_count);
int64_t clinux_receive(int32_t fd, void *_Nullable bytes, size_t count);
// What the kernel has dropped because the socket was full, since it was made; wraps. Linux 4.12.
int32_t clinux_socket_drops(int32_t fd, uint32_t *drops);
int32_t clinux_peer_credentials(int32_t fd, struct clinux_credentials *out);
// Count of supplementary groups; when above the capacity, nothing was written.
int32_t clinux_peer_groups(int32_t fd, uint32_t *_Nullable groups, int32_t capacity);
int32_t clinux_set_send_buffer(int32_t fd, int32_t bytes);
int32_t clinux_is_listening_unix_socket(int32_t fd);
// Where a socket is bound, ended by a NUL byte; "" where it has no name in the file system.
int32_t clinux_unix_path(int32_t fd, char *path, size_t size);

// This process.
int32_t clinux_process_id(void);
uint32_t clinux_effective_user_id(void);
uint32_t clinux_effective_group_id(void);
int32_t clinux_process_groups(uint32_t *_Nullable groups, int32_t capacity);
int32_t clinux_current_folder(char *path, size_t size);
const char *_Nullable clinux_environment(const char *name);
int32_t clinux_group_id(const char *name, uint32_t *group);
// Names that fit `capacity` with their NUL; -ENOENT when there is none.
int32_t clinux_group_name(uint32_t group, char *name, size_t capacity);
int32_t clinux_user_name(uint32_t user, char *name, size_t capacity);
int32_t clinux_is_terminal(int32_t fd);
int32_t clinux_terminal_size(
    int32_t fd, uint16_t *columns, uint16_t *rows);
// The soft limit of open descriptors becomes the hard one.
int32_t clinux_raise_descriptor_limit(void);
int32_t clinux_descriptor_limit(uint64_t *most);
// Starts a thread that ends at once, and waits for it.
int32_t clinux_try_thread(void);
void clinux_exit(int32_t status) __attribute__((noreturn));
void clinux_error_text(int32_t number, char *text, size_t capacity);

// Real time. A pid of 0 is the calling thread.
int32_t clinux_fifo_priority(int32_t priority);
// The priority of the calling thread when it runs by SCHED_FIFO; 0 when it does not.
int32_t clinux_current_fifo_priority(void);
int32_t clinux_normal_priority(void);
int32_t clinux_limit_realtime(int64_t microseconds);
int32_t clinux_lock_memory(void);
int32_t clinux_timer_slack(uint64_t nanoseconds);

#pragma clang assume_nonnull end
