#pragma once
// Input devices made by a test, through /dev/uinput. -errno on failure.
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

enum uinput_bit {
  UINPUT_TYPE, UINPUT_KEY, UINPUT_AXIS, UINPUT_EFFECT, UINPUT_PROPERTY, UINPUT_MISCELLANEOUS
};

int32_t uinput_open(void);
int32_t uinput_set_bit(int32_t fd, enum uinput_bit kind, uint16_t code);
int32_t uinput_set_axis(
    int32_t fd, uint16_t code, int32_t minimum, int32_t maximum, int32_t fuzz, int32_t flat,
    int32_t resolution);
int32_t uinput_set_phys(int32_t fd, const char *phys);
int32_t uinput_create(
    int32_t fd, uint16_t bus, uint16_t vendor, uint16_t product, uint16_t version,
    const char *name, uint32_t effects);
int32_t uinput_system_name(int32_t fd, char *name, size_t size);
int32_t uinput_destroy(int32_t fd);
// A second node of the same device, closed to all but root. udev doesn't know it, and so never gives
// it another group or other permissions while a test looks at those.
int32_t uinput_copy_node(const char *node, const char *second);
int32_t uinput_emit(int32_t fd, uint16_t type, uint16_t code, int32_t value);

enum uinput_request { UINPUT_NOTHING, UINPUT_UPLOAD, UINPUT_ERASE, UINPUT_EVENT };

// What the kernel wants of the device: effects to load and to forget, events to act on.
struct uinput_record {
  enum uinput_request request;
  uint32_t number;  // of the request, to be answered
  int16_t effect;
  uint16_t type, length;
  uint16_t strong, weak;         // FF_RUMBLE
  int16_t magnitude;             // FF_PERIODIC
  uint16_t waveform, period;     // FF_PERIODIC
  uint16_t usage, percent;       // FF_HAPTIC
  uint16_t event_type, event_code;
  int32_t event_value;
};
// 1 and a record, 0 when there is none. An upload or erase waits until it is answered.
int32_t uinput_next(int32_t fd, struct uinput_record *record);
// `result`: 0, or the errno that the client shall see, negative.
int32_t uinput_answer(int32_t fd, const struct uinput_record *record, int32_t result);

// The permissions of files are checked for this user from now on, in the calling thread only.
void test_set_file_user(uint32_t user, uint32_t group);

#pragma clang assume_nonnull end
