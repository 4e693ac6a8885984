// A DualSense by USB, for the kernel tests: hid-playstation binds to it. uhid.h has what is the same
// for all such devices.
//
//   uhid-gamepad [--name NAME]
//
// Further commands:
//   triggers LEFT RIGHT     how far they are pulled, 0…255
// Further lines of the log:
//   "rumble"    the motors are told how strong: left (the heavy one) and right, 0…255
// Nothing that drives lights, sound or triggers is logged.

#include "uhid.h"

// What the driver asks for while it probes, by number and exact size (drivers/hid/hid-playstation.c).
enum { INPUT_REPORT = 0x01, OUTPUT_REPORT = 0x02, CALIBRATION = 0x05, PAIRING = 0x09,
       FIRMWARE = 0x20 };
enum { INPUT_SIZE = 64, OUTPUT_SIZE = 48, CALIBRATION_SIZE = 41, PAIRING_SIZE = 20,
       FIRMWARE_SIZE = 64 };

// A report of so many bytes that only the vendor knows to read.
#define OPAQUE(number, code, kind, count) \
  0x85, number, 0x09, code, 0x95, count, kind, 0x02
enum { IN = 0x81, OUT = 0x91, FEATURE = 0xb1 };

static const uint8_t descriptor[] = {
    0x05, 0x01,        // page Generic Desktop
    0x09, 0x05,        // Game Pad
    0xa1, 0x01,        // application
    0x06, 0x00, 0xff,  // a page of the vendor's
    0x15, 0x00, 0x26, 0xff, 0x00, 0x75, 0x08,  // bytes
    OPAQUE(INPUT_REPORT, 0x20, IN, INPUT_SIZE - 1),
    OPAQUE(OUTPUT_REPORT, 0x21, OUT, OUTPUT_SIZE - 1),
    OPAQUE(CALIBRATION, 0x22, FEATURE, CALIBRATION_SIZE - 1),
    OPAQUE(PAIRING, 0x23, FEATURE, PAIRING_SIZE - 1),
    OPAQUE(FIRMWARE, 0x24, FEATURE, FIRMWARE_SIZE - 1),
    0xc0,
};

static void put(uint8_t *place, int value) {
  place[0] = value;
  place[1] = value >> 8;
}

static size_t feature(uint8_t number, uint8_t *report) {
  report[0] = number;
  switch (number) {
    case CALIBRATION:
      // From byte 7 on pairs of each axis's value at +full and -full; the gyroscope's speeds between.
      for (int place = 7; place < 35; place += 2) put(report + place, place / 2 % 2 ? 8192 : -8192);
      put(report + 19, 540);
      put(report + 21, 540);
      return CALIBRATION_SIZE;
    case PAIRING:
      memcpy(report + 1, "\x5e\x02\x00\x00\x00\x02", 6);  // its address, the last byte first
      return PAIRING_SIZE;
    case FIRMWARE:
      put(report + 44, 0x0224);  // new enough for the motors' second way
      return FIRMWARE_SIZE;
    default: return 0;
  }
}

static void take_feature(const uint8_t *report, size_t size) {
  tell("set", ",\"report\":%d,\"bytes\":\"%s\"", report[0], hexadecimal(report, size));
}

static void take_output(const uint8_t *report, size_t size) {
  enum { HAPTICS_SELECTED = 0x02 };
  if (report[0] != OUTPUT_REPORT || size < 5 || !(report[1] & HAPTICS_SELECTED)) return;
  tell("rumble", ",\"left\":%d,\"right\":%d", report[4], report[3]);
}

static bool command(const char *line) {
  int left, right;
  if (sscanf(line, "triggers %d %d", &left, &right) != 2) return false;
  static uint8_t sequence;
  uint8_t report[INPUT_SIZE] = {INPUT_REPORT, 128, 128, 128, 128, left, right, sequence++};
  report[8] = 8;                   // no direction
  report[33] = report[37] = 0x80;  // no finger on the touchpad
  send_input(report, sizeof report);
  return true;
}

int main(int count, char **words) {
  identity.name = count == 3 && !strcmp(words[1], "--name") ? words[2] : "Test Gamepad";
  identity.phys = "gamepad/input0";
  identity.bus = BUS_USB;
  identity.vendor = 0x054c;
  identity.product = 0x0ce6;
  identity.size = sizeof descriptor;
  memcpy(identity.descriptor, descriptor, sizeof descriptor);
  return run();
}
