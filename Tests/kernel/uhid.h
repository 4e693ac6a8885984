// A HID device made with UHID, for the kernel tests: the kernel's own driver binds to it, and what the
// driver sends it comes out as JSON, a line each, with "ms", the monotonic clock in milliseconds. A
// program says what the device is (`identity`) and how it behaves (the four functions below).
//
// Commands come on standard input, a line each, done one after the other, each answered with
// {"event":"done","command":…}. These are the same for all devices:
//   wait MS
//   unplug, plug            the device goes; the same device comes back
// At their end the device goes and so does the program, unless `identity.stays`.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <linux/uhid.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
  const char *name, *phys, *uniq;  // uniq: the serial number; NULL: none
  int bus, vendor, product;
  uint8_t descriptor[HID_MAX_DESCRIPTOR_SIZE];
  int size;    // of the descriptor
  bool stays;  // goes on without commands until the machine ends
} identity;

// The report of a feature, its number first; 0: the device has none.
static size_t feature(uint8_t number, uint8_t *report);
// A report that the driver sent or set, its number first.
static void take_output(const uint8_t *report, size_t size);
static void take_feature(const uint8_t *report, size_t size);
// False when it is no command of this device.
static bool command(const char *line);

static int device = -1;  // UHID's descriptor; -1: unplugged

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void fail(const char *what) {
  fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
  exit(1);
}

// A line of the log: its event, and further members as printf makes them.
__attribute__((format(printf, 2, 3)))
static void tell(const char *event, const char *format, ...) {
  printf("{\"ms\":%.3f,\"event\":\"%s\"", now(), event);
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  puts("}");
}

static void tell_name(const char *event) { tell(event, ",\"name\":\"%s\"", identity.name); }

// For devices that are told something.
__attribute__((unused))
static const char *hexadecimal(const uint8_t *bytes, size_t size) {
  static char text[3 * 64 + 1];
  char *end = text;
  *end = 0;
  for (size_t i = 0; i < size && i < 64; i++) {
    end += sprintf(end, i ? " %02x" : "%02x", bytes[i]);
  }
  return text;
}

static void submit(const struct uhid_event *event) {
  if (write(device, event, sizeof *event) < 0) fail("/dev/uhid");
}

static void send_input(const uint8_t *report, size_t size) {
  struct uhid_event event = {.type = UHID_INPUT2, .u.input2.size = size};
  memcpy(event.u.input2.data, report, size);
  if (device >= 0) submit(&event);
}

static void plug(void) {
  if (device >= 0) return;
  device = open("/dev/uhid", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (device < 0) fail("/dev/uhid");
  struct uhid_event create = {.type = UHID_CREATE2};
  struct uhid_create2_req *request = &create.u.create2;
  snprintf((char *)request->name, sizeof request->name, "%s", identity.name);
  snprintf((char *)request->phys, sizeof request->phys, "%s", identity.phys);
  if (identity.uniq) snprintf((char *)request->uniq, sizeof request->uniq, "%s", identity.uniq);
  request->bus = identity.bus;
  request->vendor = identity.vendor;
  request->product = identity.product;
  request->rd_size = identity.size;
  memcpy(request->rd_data, identity.descriptor, identity.size);
  submit(&create);
}

static void unplug(void) {
  if (device < 0) return;
  struct uhid_event destroy = {.type = UHID_DESTROY};
  submit(&destroy);
  close(device);
  device = -1;
  tell_name("unplugged");
}

// The driver waits for the answers, while it probes and whenever somebody opens the device.
static void serve(void) {
  static struct uhid_event event, answer;
  while (device >= 0 && read(device, &event, sizeof event) > 0) {
    memset(&answer, 0, sizeof answer);
    switch (event.type) {
      case UHID_START: tell_name("plugged"); break;
      case UHID_OPEN: tell_name("opened"); break;
      case UHID_CLOSE: tell_name("closed"); break;
      case UHID_OUTPUT: take_output(event.u.output.data, event.u.output.size); break;
      case UHID_GET_REPORT:
        answer.type = UHID_GET_REPORT_REPLY;
        answer.u.get_report_reply.id = event.u.get_report.id;
        answer.u.get_report_reply.size =
            feature(event.u.get_report.rnum, answer.u.get_report_reply.data);
        if (answer.u.get_report_reply.size == 0) answer.u.get_report_reply.err = EIO;
        submit(&answer);
        break;
      case UHID_SET_REPORT:
        take_feature(event.u.set_report.data, event.u.set_report.size);
        answer.type = UHID_SET_REPORT_REPLY;
        answer.u.set_report_reply.id = event.u.set_report.id;
        submit(&answer);
        break;
    }
  }
}

// Does a command; returns until when the next one has to wait, -1: not at all.
static double start(const char *line) {
  double wait_ms;
  if (sscanf(line, "wait %lf", &wait_ms) == 1) return now() + wait_ms;
  if (!strcmp(line, "plug")) plug();
  else if (!strcmp(line, "unplug")) unplug();
  else if (!command(line)) {
    fprintf(stderr, "%s: no such command: %s\n", program_invocation_short_name, line);
    exit(2);
  }
  return -1;
}

// The next whole line of standard input, without waiting; NULL when there is none yet.
static const char *next_line(bool *more) {
  static char waiting[4096], line[128];
  static size_t length;
  char *end = memchr(waiting, '\n', length);
  if (!end && *more) {
    struct pollfd ready = {.fd = 0, .events = POLLIN};
    if (poll(&ready, 1, 0) <= 0) return NULL;
    ssize_t got = read(0, waiting + length, sizeof waiting - length);
    if (got <= 0) *more = false;
    else length += got;
    end = memchr(waiting, '\n', length);
  }
  if (!end) return NULL;
  if ((size_t)(end - waiting) >= sizeof line) errno = E2BIG, fail("a command");
  *end = 0;
  memcpy(line, waiting, end + 1 - waiting);
  length -= end + 1 - waiting;
  memmove(waiting, end + 1, length);
  return line;
}

static int run(void) {
  setvbuf(stdout, 0, _IOLBF, 0);
  if (identity.stays) signal(SIGTERM, SIG_IGN), signal(SIGHUP, SIG_IGN), signal(SIGINT, SIG_IGN);
  plug();
  char current[128] = "";
  double wait_until = -1;
  for (bool more = true; more || identity.stays || *current;) {
    serve();
    if (*current && wait_until <= now()) {
      tell("done", ",\"command\":\"%s\"", current);
      current[0] = 0;
    }
    const char *line = *current ? NULL : next_line(&more);
    if (line && *line) {
      snprintf(current, sizeof current, "%s", line);
      wait_until = start(current);
      continue;
    }
    double left = *current ? wait_until - now() : -1;
    struct pollfd ready[2] = {{.fd = more && !*current ? 0 : -1, .events = POLLIN},
                              {.fd = device, .events = POLLIN}};
    if (poll(ready, 2, !*current ? -1 : left > 0 ? (int)left + 1 : 0) < 0 && errno != EINTR) {
      fail("poll");
    }
  }
  unplug();
  return 0;
}
