// A pressure pad with a motor, made with uinput, for the kernel tests.
//
//   pad [option...]         reads commands from standard input, a line each; what happens to it is
//                           written to standard output as JSON, a line each, with "ms", the
//                           monotonic clock in milliseconds.
//
// Commands, done one after the other, each answered with {"event":"done","command":…}:
//   contact 0|1             finger down or up, without closing the frame
//   pressure VALUE          the axis, without closing the frame
//   frame                   SYN_REPORT
//   press VALUE             contact, pressure and a frame
//   ramp FROM TO STEPS MS   STEPS frames, MS apart, from FROM to TO; the first one makes contact
//   release                 contact ends, pressure 0, a frame
//   flood FRAMES            as many frames at once: a reader that does not keep up gets SYN_DROPPED
//   wait MS
//   unplug, plug            the device goes; the same device comes back
// At the end of the commands the device goes and so does the program.
//
// Options: --name NAME  --phys PHYS  --bus N  --vendor N  --product N
//   --maximum N  --minimum N  --resolution N     of the pressure axis (default 0…1000, 0)
//   --multitouch            one slot of protocol B besides ABS_PRESSURE
//   --motor rumble|periodic|haptic|none          (default rumble)
//   --motor-only            no axes and no keys: a vibrator that is a node of its own
//   --gain                  announces FF_GAIN
//   --effects N             effect slots (default 16)
//   --upload-ms MS          answers uploads only after so long
//   --refuse ERRNO          answers uploads with this error

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/uinput.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

// New in Linux 6.18; headers may be older. include/uapi/linux/input.h
#ifndef FF_HAPTIC
#define FF_HAPTIC 0x4f
struct ff_haptic_effect {
  uint16_t hid_usage, vendor_id;
  uint8_t vendor_waveform_page;
  uint16_t intensity, repeat_count, retrigger_period;
};
#endif

enum motor { RUMBLE, PERIODIC, HAPTIC, NO_MOTOR };

static struct {
  const char *name, *phys;
  int bus, vendor, product, minimum, maximum, resolution, effects, upload_ms, refuse;
  bool multitouch, motor_only, gain;
  enum motor motor;
} option = {.name = "Test Pad", .phys = "test-pad/input0", .bus = BUS_USB, .vendor = 0x1209,
            .product = 0x0001, .maximum = 1000, .effects = 16};

static int device = -1;       // uinput's descriptor; -1: unplugged
static bool touching;
static int tracking_id;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void fail(const char *what) {
  fprintf(stderr, "pad: %s: %s\n", what, strerror(errno));
  exit(1);
}

// A line of the log: its event, and further members as printf makes them.
__attribute__((format(printf, 2, 3)))
static void tell(const char *event, const char *format, ...) {
  printf("{\"ms\":%.3f,\"event\":\"%s\",", now(), event);
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  puts("}");
}

// --- The device ----------------------------------------------------------------------------------

static void set(unsigned long request, int value, const char *what) {
  if (ioctl(device, request, value) < 0) fail(what);
}

static void axis(int code, int minimum, int maximum, int resolution) {
  struct uinput_abs_setup setup = {.code = code, .absinfo = {.minimum = minimum,
      .maximum = maximum, .resolution = resolution}};
  if (ioctl(device, UI_ABS_SETUP, &setup) < 0) fail("UI_ABS_SETUP");
}

static void plug(void) {
  device = open("/dev/uinput", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) fail("/dev/uinput");
  if (!option.motor_only) {
    set(UI_SET_EVBIT, EV_KEY, "EV_KEY");
    set(UI_SET_KEYBIT, BTN_TOUCH, "BTN_TOUCH");
    set(UI_SET_KEYBIT, BTN_TOOL_FINGER, "BTN_TOOL_FINGER");
    set(UI_SET_EVBIT, EV_ABS, "EV_ABS");
    axis(ABS_X, 0, 1000, 10);
    axis(ABS_Y, 0, 1000, 10);
    axis(ABS_PRESSURE, option.minimum, option.maximum, option.resolution);
    if (option.multitouch) {
      axis(ABS_MT_SLOT, 0, 4, 0);
      axis(ABS_MT_TRACKING_ID, 0, 65535, 0);
      axis(ABS_MT_POSITION_X, 0, 1000, 10);
      axis(ABS_MT_POSITION_Y, 0, 1000, 10);
      axis(ABS_MT_PRESSURE, option.minimum, option.maximum, option.resolution);
    }
    set(UI_SET_PROPBIT, INPUT_PROP_POINTER, "INPUT_PROP_POINTER");
  }
  struct uinput_setup setup = {.id = {.bustype = option.bus, .vendor = option.vendor,
      .product = option.product, .version = 1}};
  if (option.motor != NO_MOTOR) {
    set(UI_SET_EVBIT, EV_FF, "EV_FF");
    if (option.motor == RUMBLE) set(UI_SET_FFBIT, FF_RUMBLE, "FF_RUMBLE");
    if (option.motor == HAPTIC) set(UI_SET_FFBIT, FF_HAPTIC, "FF_HAPTIC");
    if (option.motor == PERIODIC) {
      set(UI_SET_FFBIT, FF_PERIODIC, "FF_PERIODIC");
      set(UI_SET_FFBIT, FF_SINE, "FF_SINE");
    }
    if (option.gain) set(UI_SET_FFBIT, FF_GAIN, "FF_GAIN");
    setup.ff_effects_max = option.effects;
  }
  if (ioctl(device, UI_SET_PHYS, option.phys) < 0) fail("UI_SET_PHYS");
  snprintf(setup.name, sizeof setup.name, "%s", option.name);
  if (ioctl(device, UI_DEV_SETUP, &setup) < 0) fail("UI_DEV_SETUP");
  if (ioctl(device, UI_DEV_CREATE) < 0) fail("UI_DEV_CREATE");
  char place[64] = "";
  if (ioctl(device, UI_GET_SYSNAME(sizeof place), place) < 0) fail("UI_GET_SYSNAME");
  tell("plugged", "\"input\":\"%s\"", place);
}

static void unplug(void) {
  if (device < 0) return;
  ioctl(device, UI_DEV_DESTROY);
  close(device);
  device = -1;
  touching = false;
  tell("unplugged", "\"name\":\"%s\"", option.name);
}

static void emit(int type, int code, int value) {
  struct input_event event = {.type = type, .code = code, .value = value};
  if (device >= 0 && write(device, &event, sizeof event) != sizeof event) fail("uinput");
}

static void contact(bool down) {
  if (down == touching) return;
  touching = down;
  if (option.multitouch) {
    emit(EV_ABS, ABS_MT_SLOT, 0);
    emit(EV_ABS, ABS_MT_TRACKING_ID, down ? ++tracking_id : -1);
  }
  emit(EV_KEY, BTN_TOUCH, down);
  emit(EV_KEY, BTN_TOOL_FINGER, down);
}

static void pressure(int value) {
  if (option.multitouch && touching) emit(EV_ABS, ABS_MT_PRESSURE, value);
  emit(EV_ABS, ABS_PRESSURE, value);
}

static void frame(void) { emit(EV_SYN, SYN_REPORT, 0); }

static void press(int value) {
  contact(true);
  pressure(value);
  frame();
}

// --- The motor -----------------------------------------------------------------------------------

static struct { uint32_t request; double due; } pending[64];  // uploads not answered yet
static int pending_count;

static void describe(const struct uinput_ff_upload *upload) {
  const struct ff_effect *e = &upload->effect;
  char what[128];
  if (e->type == FF_RUMBLE) {
    snprintf(what, sizeof what, "\"rumble\",\"strong\":%u,\"weak\":%u",
             e->u.rumble.strong_magnitude, e->u.rumble.weak_magnitude);
  } else if (e->type == FF_PERIODIC) {
    snprintf(what, sizeof what, "\"periodic\",\"waveform\":%u,\"magnitude\":%d,\"period\":%u",
             e->u.periodic.waveform, e->u.periodic.magnitude, e->u.periodic.period);
  } else if (e->type == FF_HAPTIC) {
    const struct ff_haptic_effect *h = (const void *)&e->u;  // old headers lack the member
    snprintf(what, sizeof what, "\"haptic\",\"usage\":%u,\"intensity\":%u", h->hid_usage,
             h->intensity);
  } else {
    snprintf(what, sizeof what, "\"other\",\"code\":%u", e->type);
  }
  tell("upload", "\"id\":%d,\"update\":%s,\"length\":%u,\"type\":%s", e->id,
       upload->old.type ? "true" : "false", e->replay.length, what);
}

static void answer_upload(uint32_t request) {
  struct uinput_ff_upload upload = {.request_id = request};
  if (ioctl(device, UI_BEGIN_FF_UPLOAD, &upload) < 0) return;  // whoever asked has gone
  upload.retval = -option.refuse;
  ioctl(device, UI_END_FF_UPLOAD, &upload);
  if (option.refuse) return tell("refused", "\"errno\":%d", option.refuse);
  describe(&upload);
}

static void answer_erase(uint32_t request) {
  struct uinput_ff_erase erase = {.request_id = request};
  if (ioctl(device, UI_BEGIN_FF_ERASE, &erase) < 0) return;
  erase.retval = 0;
  ioctl(device, UI_END_FF_ERASE, &erase);
  tell("erase", "\"id\":%u", erase.effect_id);
}

static void serve_motor(void) {
  struct input_event event;
  while (device >= 0 && read(device, &event, sizeof event) == sizeof event) {
    if (event.type == EV_UINPUT && event.code == UI_FF_UPLOAD) {
      if (option.upload_ms == 0) {
        answer_upload(event.value);
      } else if (pending_count < 64) {
        tell("upload-asked", "\"request\":%d", event.value);
        pending[pending_count].request = event.value;
        pending[pending_count++].due = now() + option.upload_ms;
      }
    } else if (event.type == EV_UINPUT && event.code == UI_FF_ERASE) {
      answer_erase(event.value);
    } else if (event.type == EV_FF && event.code == FF_GAIN) {
      tell("gain", "\"value\":%d", event.value);
    } else if (event.type == EV_FF) {
      tell(event.value ? "play" : "stop", "\"id\":%d,\"value\":%d", event.code, event.value);
    }
  }
}

// Answers the uploads that are due; returns when the next one is.
static double serve_pending(void) {
  while (pending_count > 0 && pending[0].due <= now()) {
    uint32_t request = pending[0].request;
    memmove(pending, pending + 1, --pending_count * sizeof *pending);
    if (device >= 0) answer_upload(request);
  }
  return pending_count > 0 ? pending[0].due : -1;
}

// --- Commands ------------------------------------------------------------------------------------

static char current[128];       // the command under way; "" when there is none
static double wake_at = -1;     // when it goes on
static struct { int from, to, steps, done; double interval; } ramp;

static void finish(void) {
  wake_at = -1;
  tell("done", "\"command\":\"%s\"", current);
  current[0] = 0;
}

static void go_on(void) {
  if (ramp.steps == 0) return finish();  // a wait is over
  ramp.done++;
  press(ramp.from + (int)((long)(ramp.to - ramp.from) * ramp.done / ramp.steps));
  if (ramp.done == ramp.steps) {
    ramp.steps = 0;
    return finish();
  }
  wake_at += ramp.interval;
}

static void start(const char *line) {
  snprintf(current, sizeof current, "%s", line);
  int a, b, c;
  double d;
  if (sscanf(line, "contact %d", &a) == 1) contact(a != 0);
  else if (sscanf(line, "pressure %d", &a) == 1) pressure(a);
  else if (!strcmp(line, "frame")) frame();
  else if (sscanf(line, "press %d", &a) == 1) press(a);
  else if (!strcmp(line, "release")) { pressure(option.minimum); contact(false); frame(); }
  else if (sscanf(line, "flood %d", &a) == 1) for (int i = 0; i < a; i++) press(i % 2 ? 400 : 300);
  else if (!strcmp(line, "unplug")) unplug();
  else if (!strcmp(line, "plug")) { if (device < 0) plug(); }
  else if (sscanf(line, "wait %lf", &d) == 1) { wake_at = now() + d; return; }
  else if (sscanf(line, "ramp %d %d %d %lf", &a, &b, &c, &d) == 4 && c > 0) {
    ramp.from = a, ramp.to = b, ramp.steps = c, ramp.done = 0, ramp.interval = d;
    wake_at = now();
    return;
  } else {
    fprintf(stderr, "pad: no such command: %s\n", line);
    exit(2);
  }
  finish();
}

// --- Start and loop ------------------------------------------------------------------------------

static void read_options(int count, char **words) {
  enum { NAME = 1, PHYS, BUS, VENDOR, PRODUCT, MINIMUM, MAXIMUM, RESOLUTION, MULTITOUCH, MOTOR,
         MOTOR_ONLY, GAIN, EFFECTS, UPLOAD_MS, REFUSE };
  static const struct option known[] = {
      {"name", 1, 0, NAME}, {"phys", 1, 0, PHYS}, {"bus", 1, 0, BUS}, {"vendor", 1, 0, VENDOR},
      {"product", 1, 0, PRODUCT}, {"minimum", 1, 0, MINIMUM}, {"maximum", 1, 0, MAXIMUM},
      {"resolution", 1, 0, RESOLUTION}, {"multitouch", 0, 0, MULTITOUCH}, {"motor", 1, 0, MOTOR},
      {"motor-only", 0, 0, MOTOR_ONLY}, {"gain", 0, 0, GAIN}, {"effects", 1, 0, EFFECTS},
      {"upload-ms", 1, 0, UPLOAD_MS}, {"refuse", 1, 0, REFUSE}, {0}};
  static const char *const motors[] = {"rumble", "periodic", "haptic", "none"};
  for (int got; (got = getopt_long(count, words, "", known, 0)) != -1;) {
    int number = optarg ? (int)strtol(optarg, 0, 0) : 0;
    switch (got) {
      case NAME: option.name = optarg; break;
      case PHYS: option.phys = optarg; break;
      case BUS: option.bus = number; break;
      case VENDOR: option.vendor = number; break;
      case PRODUCT: option.product = number; break;
      case MINIMUM: option.minimum = number; break;
      case MAXIMUM: option.maximum = number; break;
      case RESOLUTION: option.resolution = number; break;
      case MULTITOUCH: option.multitouch = true; break;
      case MOTOR_ONLY: option.motor_only = true; break;
      case GAIN: option.gain = true; break;
      case EFFECTS: option.effects = number; break;
      case UPLOAD_MS: option.upload_ms = number; break;
      case REFUSE: option.refuse = number; break;
      case MOTOR: {
        int kind = 0;
        while (kind < 4 && strcmp(optarg, motors[kind])) kind++;
        if (kind == 4) {
          fprintf(stderr, "pad: --motor rumble, periodic, haptic or none, not %s\n", optarg);
          exit(2);
        }
        option.motor = kind;
        break;
      }
      default: exit(2);
    }
  }
}

int main(int count, char **words) {
  setvbuf(stdout, 0, _IOLBF, 0);
  read_options(count, words);
  plug();
  char waiting[4096];  // commands that came and have not been started
  size_t length = 0;
  bool more = true;
  for (;;) {
    serve_motor();
    double next = serve_pending();
    if (wake_at >= 0 && (next < 0 || wake_at < next)) next = wake_at;
    if (wake_at >= 0 && wake_at <= now()) {
      go_on();
      continue;
    }
    if (wake_at < 0) {  // nothing under way: the next command, if a whole line is there
      char *end = memchr(waiting, '\n', length);
      if (end) {
        *end = 0;
        char line[sizeof current];
        if ((size_t)(end - waiting) >= sizeof line) errno = E2BIG, fail("a command");
        strcpy(line, waiting);
        length -= end + 1 - waiting;
        memmove(waiting, end + 1, length);
        if (*line) start(line);
        continue;
      }
      if (!more) break;
    }
    struct pollfd ready[2] = {{.fd = more && length < sizeof waiting ? 0 : -1, .events = POLLIN},
                              {.fd = device, .events = POLLIN}};
    double left = next - now();
    int timeout = next < 0 ? -1 : left > 0 ? (int)left + 1 : 0;
    if (poll(ready, 2, timeout) < 0 && errno != EINTR) fail("poll");
    if (ready[0].revents) {
      ssize_t got = read(0, waiting + length, sizeof waiting - length);
      if (got <= 0) more = false;
      else length += got;
    }
  }
  unplug();
  return 0;
}
