#define _GNU_SOURCE
#include "uinput_shim.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/uinput.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define RESULT(call) ((call) < 0 ? -errno : 0)

int32_t uinput_open(void) {
  int fd = open("/dev/uinput", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

int32_t uinput_set_bit(int32_t fd, enum uinput_bit kind, uint16_t code) {
  switch (kind) {
    case UINPUT_TYPE: return RESULT(ioctl(fd, UI_SET_EVBIT, code));
    case UINPUT_KEY: return RESULT(ioctl(fd, UI_SET_KEYBIT, code));
    case UINPUT_AXIS: return RESULT(ioctl(fd, UI_SET_ABSBIT, code));
    case UINPUT_EFFECT: return RESULT(ioctl(fd, UI_SET_FFBIT, code));
    case UINPUT_MISCELLANEOUS: return RESULT(ioctl(fd, UI_SET_MSCBIT, code));
    case UINPUT_PROPERTY: return RESULT(ioctl(fd, UI_SET_PROPBIT, code));
  }
  return -EINVAL;
}

int32_t uinput_set_axis(
    int32_t fd, uint16_t code, int32_t minimum, int32_t maximum, int32_t fuzz, int32_t flat,
    int32_t resolution) {
  struct uinput_abs_setup setup = {
      .code = code,
      .absinfo = {
          .minimum = minimum, .maximum = maximum, .fuzz = fuzz, .flat = flat,
          .resolution = resolution}};
  return RESULT(ioctl(fd, UI_ABS_SETUP, &setup));
}

int32_t uinput_set_phys(int32_t fd, const char *phys) { return RESULT(ioctl(fd, UI_SET_PHYS, phys)); }

int32_t uinput_create(
    int32_t fd, uint16_t bus, uint16_t vendor, uint16_t product, uint16_t version,
    const char *name, uint32_t effects) {
  struct uinput_setup setup = {
      .id = {.bustype = bus, .vendor = vendor, .product = product, .version = version},
      .ff_effects_max = effects};
  strncpy(setup.name, name, sizeof setup.name - 1);
  if (ioctl(fd, UI_DEV_SETUP, &setup) < 0) return -errno;
  return RESULT(ioctl(fd, UI_DEV_CREATE));
}

int32_t uinput_system_name(int32_t fd, char *name, size_t size) {
  return RESULT(ioctl(fd, UI_GET_SYSNAME(size), name));
}

int32_t uinput_destroy(int32_t fd) { return RESULT(ioctl(fd, UI_DEV_DESTROY)); }

int32_t uinput_copy_node(const char *node, const char *second) {
  struct stat status;
  if (stat(node, &status) < 0) return -errno;
  return RESULT(mknod(second, S_IFCHR | 0600, status.st_rdev));
}

int32_t uinput_emit(int32_t fd, uint16_t type, uint16_t code, int32_t value) {
  struct input_event event = {.type = type, .code = code, .value = value};
  return RESULT(write(fd, &event, sizeof event));
}

static void describe(const struct ff_effect *effect, struct uinput_record *record) {
  record->effect = effect->id;
  record->type = effect->type;
  record->length = effect->replay.length;
  if (effect->type == FF_RUMBLE) {
    record->strong = effect->u.rumble.strong_magnitude;
    record->weak = effect->u.rumble.weak_magnitude;
  } else if (effect->type == FF_PERIODIC) {
    record->magnitude = effect->u.periodic.magnitude;
    record->waveform = effect->u.periodic.waveform;
    record->period = effect->u.periodic.period;
  } else {
    // struct ff_haptic_effect, which old headers lack: the usage is the first member, the
    // intensity the fourth.
    uint16_t words[4];
    memcpy(words, &effect->u, sizeof words);
    record->usage = words[0];
    record->percent = words[3];
  }
}

int32_t uinput_next(int32_t fd, struct uinput_record *record) {
  struct input_event event;
  ssize_t count = read(fd, &event, sizeof event);
  if (count < 0) return errno == EAGAIN ? 0 : -errno;
  memset(record, 0, sizeof *record);
  record->number = (uint32_t)event.value;
  if (event.type == EV_UINPUT && event.code == UI_FF_UPLOAD) {
    struct uinput_ff_upload upload = {.request_id = record->number};
    if (ioctl(fd, UI_BEGIN_FF_UPLOAD, &upload) < 0) return -errno;
    record->request = UINPUT_UPLOAD;
    describe(&upload.effect, record);
  } else if (event.type == EV_UINPUT && event.code == UI_FF_ERASE) {
    struct uinput_ff_erase erase = {.request_id = record->number};
    if (ioctl(fd, UI_BEGIN_FF_ERASE, &erase) < 0) return -errno;
    record->request = UINPUT_ERASE;
    record->effect = (int16_t)erase.effect_id;
  } else {
    record->request = UINPUT_EVENT;
    record->event_type = event.type;
    record->event_code = event.code;
    record->event_value = event.value;
  }
  return 1;
}

int32_t uinput_answer(int32_t fd, const struct uinput_record *record, int32_t result) {
  if (record->request == UINPUT_UPLOAD) {
    struct uinput_ff_upload upload = {.request_id = record->number, .retval = result};
    return RESULT(ioctl(fd, UI_END_FF_UPLOAD, &upload));
  }
  struct uinput_ff_erase erase = {.request_id = record->number, .retval = result};
  return RESULT(ioctl(fd, UI_END_FF_ERASE, &erase));
}

void test_set_file_user(uint32_t user, uint32_t group) {
  // Back to root first: only root may choose any group.
  if (user == 0) setfsuid(user);
  setfsgid(group);
  setfsuid(user);
}
