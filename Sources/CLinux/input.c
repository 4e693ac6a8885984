#define _GNU_SOURCE
#include "clinux_input.h"
#include "retry.h"

#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

// The kernel's struct ff_haptic_effect, which headers before 6.18 lack. It is a member of the
// union in struct ff_effect.
struct haptic_effect {
  uint16_t hid_usage;
  uint16_t vendor_id;
  uint8_t vendor_waveform_page;
  uint16_t intensity;         // per cent
  uint16_t repeat_count;
  uint16_t retrigger_period;  // ms
};
_Static_assert(sizeof(struct haptic_effect) == 12, "the kernel's layout");
_Static_assert(sizeof(struct haptic_effect) <= sizeof(((struct ff_effect *)0)->u), "fits");

int32_t clinux_event_clock_monotonic(int32_t fd) {
  int clock = CLOCK_MONOTONIC;
  return RETRY(ioctl(fd, EVIOCSCLOCKID, &clock));
}

int32_t clinux_event_mask(int32_t fd, uint16_t type, const uint8_t *bits, size_t size) {
  struct input_mask mask = {
      .type = type, .codes_size = (uint32_t)size, .codes_ptr = (uint64_t)(uintptr_t)bits};
  return RETRY(ioctl(fd, EVIOCSMASK, &mask));
}

int32_t clinux_is_readable(int32_t fd) {
  struct pollfd waiting = {.fd = fd, .events = POLLIN};
  int count = RETRY(poll(&waiting, 1, 0));
  return count < 0 ? count : (waiting.revents & POLLIN) != 0;
}

int32_t clinux_effect_slots(int32_t fd) {
  int count = 0;
  int result = RETRY(ioctl(fd, EVIOCGEFFECTS, &count));
  return result < 0 ? result : count;
}

static int32_t upload(int32_t fd, struct ff_effect *effect, int16_t id, uint16_t milliseconds) {
  effect->id = id;
  effect->replay.length = milliseconds;
  int result = RETRY(ioctl(fd, EVIOCSFF, effect));
  return result < 0 ? result : effect->id;
}

int32_t clinux_upload_rumble(
    int32_t fd, int16_t id, uint16_t strong, uint16_t weak, uint16_t milliseconds) {
  struct ff_effect effect;
  memset(&effect, 0, sizeof effect);
  effect.type = FF_RUMBLE;
  effect.u.rumble.strong_magnitude = strong;
  effect.u.rumble.weak_magnitude = weak;
  return upload(fd, &effect, id, milliseconds);
}

int32_t clinux_upload_sine(
    int32_t fd, int16_t id, int16_t magnitude, uint16_t period, uint16_t milliseconds) {
  struct ff_effect effect;
  memset(&effect, 0, sizeof effect);
  effect.type = FF_PERIODIC;
  effect.u.periodic.waveform = FF_SINE;
  effect.u.periodic.period = period;
  effect.u.periodic.magnitude = magnitude;
  return upload(fd, &effect, id, milliseconds);
}

int32_t clinux_upload_haptic(
    int32_t fd, int16_t id, uint16_t usage, uint16_t percent, uint16_t repeats, uint16_t period,
    uint16_t milliseconds) {
  struct ff_effect effect;
  memset(&effect, 0, sizeof effect);
  effect.type = CLINUX_FF_HAPTIC;
  struct haptic_effect haptic = {
      .hid_usage = usage, .intensity = percent, .repeat_count = repeats,
      .retrigger_period = period};
  memcpy(&effect.u, &haptic, sizeof haptic);
  return upload(fd, &effect, id, milliseconds);
}

int32_t clinux_erase_effect(int32_t fd, int16_t id) {
  return RETRY(ioctl(fd, EVIOCRMFF, (long)id));
}

static int32_t write_effect(int32_t fd, uint16_t code, int32_t value) {
  struct input_event event;
  memset(&event, 0, sizeof event);
  event.type = EV_FF;
  event.code = code;
  event.value = value;
  ssize_t written = RETRY(write(fd, &event, sizeof event));
  if (written < 0) return (int32_t)written;
  return written == sizeof event ? 0 : -EIO;
}

int32_t clinux_set_gain(int32_t fd, int32_t gain) { return write_effect(fd, FF_GAIN, gain); }

int32_t clinux_play_effect(int32_t fd, int16_t id, int32_t value) {
  return write_effect(fd, (uint16_t)id, value);
}
