#pragma once
// Messages carry fields of their own; which line of which file sent them is not among them.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-device.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>

// How many sockets the service manager has handed over, from descriptor 3 on; their names, joined by
// colons, in `names`. Takes the variables out of the environment: they are for this process only.
static inline int csystemd_listen(char *names, size_t size) {
  char **list = NULL;
  int count = sd_listen_fds_with_names(1, &list);
  size_t used = 0;
  if (size > 0) names[0] = 0;
  for (int i = 0; i < count && list && list[i]; i++) {
    size_t length = strlen(list[i]);
    if (used + length + 2 <= size) {
      memcpy(names + used, list[i], length);
      used += length;
      names[used++] = ':';
      names[used] = 0;
    }
    free(list[i]);
  }
  free(list);
  return count;
}

// Sends FIELD=value texts, one after the other in `text`, `count` of them with these lengths.
static inline int csystemd_journal(const char *text, const size_t *lengths, int count) {
  struct iovec fields[16];
  if (count > 16) count = 16;
  for (int i = 0; i < count; i++) {
    fields[i].iov_base = (void *)text;
    fields[i].iov_len = lengths[i];
    text += lengths[i];
  }
  return sd_journal_sendv(fields, count);
}

// Whether standard error is the journal's stream that JOURNAL_STREAM ("device:inode") names.
static inline int csystemd_logs_to_journal(void) {
  const char *stream = getenv("JOURNAL_STREAM");
  struct stat status;
  char *end;
  if (!stream || fstat(2, &status) < 0) return 0;
  unsigned long long device = strtoull(stream, &end, 10);
  if (*end != ':') return 0;
  return device == status.st_dev && strtoull(end + 1, NULL, 10) == status.st_ino;
}
