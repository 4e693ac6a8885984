#pragma once
// The evdev ioctls that libevdev has no call for. -errno on failure, as in clinux.h.
#include <linux/input.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Linux 6.18 and later.
enum {
  CLINUX_FF_HAPTIC = 0x4f,
  // Usages of HID's haptics page (0x0e), HID Usage Tables 1.5, chapter 17.
  CLINUX_HAPTIC_CLICK = 0x1003,
  CLINUX_HAPTIC_BUZZ = 0x1004,
  CLINUX_HAPTIC_RUMBLE = 0x1005,
};

// Stamps of this client's events: CLOCK_MONOTONIC instead of CLOCK_REALTIME.
int32_t clinux_event_clock_monotonic(int32_t fd);
// Lets only the codes whose bits are set through; with type 0, only such types.
int32_t clinux_event_mask(int32_t fd, uint16_t type, const uint8_t *bits, size_t size);
// 1 when a read would not block, 0 when it would.
int32_t clinux_is_readable(int32_t fd);

// How many effects fit the device at once.
int32_t clinux_effect_slots(int32_t fd);
// The effect's id; pass -1 for a new effect, its id to change one. Can block for seconds.
int32_t clinux_upload_rumble(
    int32_t fd, int16_t id, uint16_t strong, uint16_t weak, uint16_t milliseconds);
int32_t clinux_upload_sine(
    int32_t fd, int16_t id, int16_t magnitude, uint16_t period, uint16_t milliseconds);
// Played once and `repeats` times more, `period` milliseconds apart; the pad counts.
int32_t clinux_upload_haptic(
    int32_t fd, int16_t id, uint16_t usage, uint16_t percent, uint16_t repeats, uint16_t period,
    uint16_t milliseconds);
// Can block for seconds.
int32_t clinux_erase_effect(int32_t fd, int16_t id);
// FF_GAIN, 0 to 0xffff, of the device and all its users.
int32_t clinux_set_gain(int32_t fd, int32_t gain);
// 1 starts, 0 stops.
int32_t clinux_play_effect(int32_t fd, int16_t id, int32_t value);

// The members have other names where time_t outgrew the kernel's long.
static inline int64_t clinux_event_time(const struct input_event *event) {
  return (int64_t)event->input_event_sec * 1000000 + (int64_t)event->input_event_usec;
}

#pragma clang assume_nonnull end
