// A touchpad whose feedback the host drives, for the kernel tests: hid-multitouch and hid-haptic
// (Linux 6.18 and later) bind to it. uhid.h has what is the same for all such devices.
//
//   uhid-pad [option...]
//
// Further commands:
//   press VALUE             one finger with this pressure, reported once
//   release                 no finger
// Further lines of the log:
//   "trigger"   the pad is told to play: waveform, intensity (of 250), repeats, period (ms)
//   "set"       a feature report was set: its number and its bytes
// It stays until the machine ends: hid-haptic of Linux 7.3 frees its memory twice when a pad goes.
//
// Options: --name NAME  --phys PHYS  --product N
//   --maximum N             of the pressure (default 2000)
//   --unit gram|newton|none of the pressure; newton: the maximum is in millinewtons (default gram)
//   --waveforms LIST        what the pad can play: usages of HID's page 0x0e in hexadecimal
//                           (default 1003,1004,1005,1006,1007: click, buzz, rumble, press, release)

#include "uhid.h"

#include <getopt.h>

// Reports, as this pad numbers them.
enum { FINGERS = 1, ABILITIES, CERTIFICATE, HAPTICS, MANUAL_TRIGGER, INPUT_MODE, SWITCHES };
// Usages of the haptics page (HID Usage Tables 1.5, chapter 17). The waveforms none and stop are the
// first two of every list and stand in none.
enum { WAVEFORM_NONE = 0x1001, WAVEFORM_STOP, FIRST_ORDINAL = 3, MOST_WAVEFORMS = 8 };
enum { FULL_INTENSITY = 250 };

static struct {
  int maximum;
  uint32_t unit;
  int exponent, physical_maximum, waveform_count;
  uint16_t waveforms[MOST_WAVEFORMS];
} pad = {.maximum = 2000};

// --- The report descriptor -----------------------------------------------------------------------

// Short items (Device Class Definition for HID 1.11, 6.2.2): the prefix without its size.
enum item {
  INPUT = 0x80, OUTPUT = 0x90, FEATURE = 0xb0, COLLECTION = 0xa0, END_COLLECTION = 0xc0,
  USAGE_PAGE = 0x04, LOGICAL_MINIMUM = 0x14, LOGICAL_MAXIMUM = 0x24, PHYSICAL_MINIMUM = 0x34,
  PHYSICAL_MAXIMUM = 0x44, UNIT_EXPONENT = 0x54, UNIT = 0x64, REPORT_SIZE = 0x74, REPORT_ID = 0x84,
  REPORT_COUNT = 0x94, USAGE = 0x08, USAGE_MINIMUM = 0x18, USAGE_MAXIMUM = 0x28
};
enum { PHYSICAL = 0, APPLICATION = 1, LOGICAL = 2 };
enum { GENERIC_DESKTOP = 0x01, BUTTONS = 0x09, ORDINALS = 0x0a, DIGITIZERS = 0x0d,
       HAPTIC_PAGE = 0x0e, VENDOR = 0xff00 };

static void add(enum item item, uint32_t value, int size) {
  identity.descriptor[identity.size++] = item | (size == 4 ? 3 : size);
  for (int i = 0; i < size; i++) identity.descriptor[identity.size++] = value >> 8 * i;
}

// Two bytes of data, which hold every number here but units.
static void item(enum item item, int value) { add(item, value, 2); }

// A field of `count` values with `bits` each: a variable, or padding.
static void field(enum item kind, int bits, int count) {
  item(REPORT_SIZE, bits);
  item(REPORT_COUNT, count);
  add(kind, 0x02, 1);
}

static void padding(enum item kind, int bits) {
  item(REPORT_SIZE, bits);
  item(REPORT_COUNT, 1);
  add(kind, 0x03, 1);
}

static void usage(int page, int usage) {
  add(USAGE_PAGE, page, 2);
  item(USAGE, usage);
}

static void begin(int kind) { add(COLLECTION, kind, 1); }
static void end(void) { add(END_COLLECTION, 0, 0); }

static void one(enum item kind, int page, int code, int minimum, int maximum, int bits) {
  usage(page, code);
  item(LOGICAL_MINIMUM, minimum);
  add(LOGICAL_MAXIMUM, maximum, 4);
  field(kind, bits, 1);
}

static void measured_in(uint32_t unit, int exponent, int physical_maximum) {
  item(PHYSICAL_MINIMUM, 0);
  item(PHYSICAL_MAXIMUM, physical_maximum);
  add(UNIT, unit, 4);
  add(UNIT_EXPONENT, exponent & 0x0f, 1);
}

static void describe_finger(void) {
  usage(DIGITIZERS, 0x22);                                // Finger
  begin(LOGICAL);
  one(INPUT, DIGITIZERS, 0x42, 0, 1, 1);                  // Tip Switch
  one(INPUT, DIGITIZERS, 0x47, 0, 1, 1);                  // Confidence
  padding(INPUT, 6);
  one(INPUT, DIGITIZERS, 0x51, 0, 7, 8);                  // Contact Identifier
  measured_in(0x11, -2, 1000);                            // cm: 10 cm
  one(INPUT, GENERIC_DESKTOP, 0x30, 0, 2000, 16);         // X
  one(INPUT, GENERIC_DESKTOP, 0x31, 0, 2000, 16);         // Y
  measured_in(pad.unit, pad.exponent, pad.physical_maximum);
  one(INPUT, DIGITIZERS, 0x30, 0, pad.maximum, 16);       // Tip Pressure
  measured_in(0, 0, 0);
  end();
}

static void describe_ordinals(int list, int minimum, int maximum) {
  usage(HAPTIC_PAGE, list);
  begin(LOGICAL);
  item(USAGE_PAGE, ORDINALS);
  item(USAGE_MINIMUM, FIRST_ORDINAL);
  item(USAGE_MAXIMUM, FIRST_ORDINAL + pad.waveform_count - 1);
  item(LOGICAL_MINIMUM, minimum);
  item(LOGICAL_MAXIMUM, maximum);
  field(FEATURE, 16, pad.waveform_count);
  end();
}

static void describe_haptics(void) {
  int last = FIRST_ORDINAL + pad.waveform_count - 1;
  usage(HAPTIC_PAGE, 0x01);                               // Simple Haptic Controller
  begin(LOGICAL);
  item(REPORT_ID, HAPTICS);
  one(FEATURE, HAPTIC_PAGE, 0x20, 1, last, 8);            // Auto Trigger
  one(FEATURE, HAPTIC_PAGE, 0x22, 0, 0x7fffffff, 32);     // its Associated Control
  describe_ordinals(0x10, 0x1001, 0x2fff);                // Waveform List
  describe_ordinals(0x11, 0, 10000);                      // Duration List
  item(REPORT_ID, MANUAL_TRIGGER);
  one(OUTPUT, HAPTIC_PAGE, 0x21, 1, last, 8);             // Manual Trigger
  one(OUTPUT, HAPTIC_PAGE, 0x23, 0, FULL_INTENSITY, 8);   // Intensity
  one(OUTPUT, HAPTIC_PAGE, 0x24, 0, 255, 8);              // Repeat Count
  one(OUTPUT, HAPTIC_PAGE, 0x25, 0, 10000, 16);           // Retrigger Period
  end();
}

static void describe(void) {
  usage(DIGITIZERS, 0x05);                                // Touch Pad
  begin(APPLICATION);
  item(REPORT_ID, FINGERS);
  describe_finger();
  describe_finger();
  one(INPUT, DIGITIZERS, 0x56, 0, 65535, 16);             // Scan Time
  one(INPUT, DIGITIZERS, 0x54, 0, 2, 8);                  // Contact Count
  one(INPUT, BUTTONS, 1, 0, 1, 1);
  padding(INPUT, 7);
  item(REPORT_ID, ABILITIES);
  one(FEATURE, DIGITIZERS, 0x55, 0, 15, 8);               // Contact Count Maximum
  one(FEATURE, DIGITIZERS, 0x59, 0, 15, 8);               // Pad Type
  item(REPORT_ID, CERTIFICATE);                           // what makes it a touchpad of Windows 8
  usage(VENDOR, 0xc5);
  item(LOGICAL_MINIMUM, 0);
  item(LOGICAL_MAXIMUM, 255);
  field(FEATURE, 8, 256);
  describe_haptics();
  end();
  usage(DIGITIZERS, 0x0e);                                // Device Configuration
  begin(APPLICATION);
  item(REPORT_ID, INPUT_MODE);
  usage(DIGITIZERS, 0x22);
  begin(LOGICAL);
  one(FEATURE, DIGITIZERS, 0x52, 0, 10, 8);               // Input Mode
  end();
  item(REPORT_ID, SWITCHES);
  usage(DIGITIZERS, 0x22);
  begin(PHYSICAL);
  one(FEATURE, DIGITIZERS, 0x57, 0, 1, 1);                // Surface Switch
  one(FEATURE, DIGITIZERS, 0x58, 0, 1, 1);                // Button Switch
  padding(FEATURE, 6);
  end();
  end();
}

// --- What it does --------------------------------------------------------------------------------

static bool touching;
static uint16_t scan_time;

static size_t feature(uint8_t number, uint8_t *report) {
  size_t size = 0;
  report[size++] = number;
  switch (number) {
    case ABILITIES:
      report[size++] = 2;
      report[size++] = 1;  // a pressure pad
      return size;
    case CERTIFICATE: return size + 256;
    case HAPTICS:
      report[size++] = FIRST_ORDINAL;  // by itself it plays its first waveform
      size += 4;
      for (int i = 0; i < pad.waveform_count; i++) {
        report[size++] = pad.waveforms[i];
        report[size++] = pad.waveforms[i] >> 8;
      }
      for (int i = 0; i < pad.waveform_count; i++) {
        report[size++] = 10;  // ms
        report[size++] = 0;
      }
      return size;
    case INPUT_MODE:
    case SWITCHES: return size + 1;
    default: return 0;
  }
}

static void take_feature(const uint8_t *report, size_t size) {
  tell("set", ",\"report\":%d,\"bytes\":\"%s\"", report[0], hexadecimal(report, size));
}

static void take_output(const uint8_t *report, size_t size) {
  if (report[0] != MANUAL_TRIGGER || size < 6) {
    return tell("output", ",\"bytes\":\"%s\"", hexadecimal(report, size));
  }
  int ordinal = report[1], place = ordinal - FIRST_ORDINAL;
  int waveform = ordinal < FIRST_ORDINAL ? WAVEFORM_NONE + ordinal - 1
                 : place < pad.waveform_count ? pad.waveforms[place] : 0;
  tell("trigger", ",\"waveform\":%d,\"intensity\":%d,\"repeats\":%d,\"period\":%d", waveform,
       report[2], report[3], report[4] | report[5] << 8);
}

static void touch(bool down, int value) {
  uint8_t report[64] = {FINGERS};
  size_t size = 1;
  for (int finger = 0; finger < 2; finger++) {
    bool is_down = finger == 0 && down;
    uint8_t bytes[] = {is_down | 2, finger, 1000 & 255, 1000 >> 8, 1000 & 255, 1000 >> 8,
                       is_down ? value : 0, is_down ? value >> 8 : 0};
    memcpy(report + size, bytes, sizeof bytes);
    size += sizeof bytes;
  }
  scan_time += 80;
  report[size++] = scan_time;
  report[size++] = scan_time >> 8;
  report[size++] = down || touching ? 1 : 0;
  report[size++] = 0;
  touching = down;
  send_input(report, size);
}

static bool command(const char *line) {
  int value;
  if (sscanf(line, "press %d", &value) == 1) touch(true, value);
  else if (!strcmp(line, "release")) touch(false, 0);
  else return false;
  return true;
}

// --- Start ---------------------------------------------------------------------------------------

static void list_waveforms(const char *list) {
  pad.waveform_count = 0;
  for (char *rest; *list && pad.waveform_count < MOST_WAVEFORMS; list = *rest ? rest + 1 : rest) {
    pad.waveforms[pad.waveform_count++] = strtol(list, &rest, 16);
  }
}

static void set_unit(const char *name) {
  pad.physical_maximum = pad.maximum;
  if (!strcmp(name, "gram")) pad.unit = 0x0101;           // 10^0 g
  else if (!strcmp(name, "newton")) pad.unit = 0xe111, pad.exponent = 2;  // 10^2 dyn, 1 mN
  else if (!strcmp(name, "none")) pad.unit = 0, pad.physical_maximum = 0;
  else {
    fprintf(stderr, "uhid-pad: --unit gram, newton or none, not %s\n", name);
    exit(2);
  }
}

int main(int count, char **words) {
  enum { NAME = 1, PHYS, PRODUCT, MAXIMUM, UNIT_OF, WAVEFORMS };
  static const struct option known[] = {
      {"name", 1, 0, NAME}, {"phys", 1, 0, PHYS}, {"product", 1, 0, PRODUCT},
      {"maximum", 1, 0, MAXIMUM}, {"unit", 1, 0, UNIT_OF}, {"waveforms", 1, 0, WAVEFORMS}, {0}};
  identity.name = "Haptic Pad";
  identity.phys = "haptic-pad/input0";
  identity.bus = BUS_USB;
  identity.vendor = 0x1209;
  identity.product = 0x0002;
  identity.stays = true;
  const char *unit = "gram";
  list_waveforms("1003,1004,1005,1006,1007");
  for (int got; (got = getopt_long(count, words, "", known, 0)) != -1;) {
    switch (got) {
      case NAME: identity.name = optarg; break;
      case PHYS: identity.phys = optarg; break;
      case PRODUCT: identity.product = strtol(optarg, 0, 0); break;
      case MAXIMUM: pad.maximum = strtol(optarg, 0, 0); break;
      case UNIT_OF: unit = optarg; break;
      case WAVEFORMS: list_waveforms(optarg); break;
      default: exit(2);
    }
  }
  set_unit(unit);
  describe();
  return run();
}
