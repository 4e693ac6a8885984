// A pen that declares the unit of its pressure in its HID report descriptor, for the kernel tests: the
// kernel parses the descriptor, makes the node and shows both in /sys, as with a real pen. uhid.h has
// what is the same for all such devices.
//
//   uhid-pen [option...]
//
// Further commands:
//   press VALUE             the tip touches with this pressure, in the device's own units
//   hover                   the tip is lifted, the pen still in range
//   release                 the pen goes out of range
//
// Options: --name NAME  --phys PHYS  --uniq SERIAL
//   --unit N                HID unit of the pressure (default 0xe111, dynes; 0x0101: grams; 0: none)
//   --exponent N            power of ten of that unit, -8…7 (default 2)
//   --logical N             highest pressure in the device's own units (default 4095)
//   --physical N            the same in the unit (default 4016)

#include "uhid.h"

#include <getopt.h>

static int unit = 0xe111, exponent = 2, logical = 4095, physical = 4016;

#define LOW_HIGH(n) (uint8_t)((n) & 0xff), (uint8_t)((n) >> 8 & 0xff)

// One report, number 1: tip switch and in range, X, Y, tip pressure.
static void describe(void) {
  const uint8_t descriptor[] = {
      0x05, 0x0d, 0x09, 0x02, 0xa1, 0x01,              // Digitizers: a pen, an application
      0x85, 0x01, 0x09, 0x20, 0xa1, 0x00,              // report 1, a stylus
      0x09, 0x42, 0x09, 0x32, 0x15, 0x00, 0x25, 0x01,  // tip switch, in range: 0…1
      0x75, 0x01, 0x95, 0x02, 0x81, 0x02,              // two bits
      0x95, 0x06, 0x81, 0x03,                          // and six that fill the byte
      0x05, 0x01, 0x09, 0x30, 0x09, 0x31,              // X, Y
      0x26, LOW_HIGH(10000), 0x75, 0x10, 0x95, 0x02, 0x81, 0x02,
      0x05, 0x0d, 0x09, 0x30,                          // tip pressure
      0x26, LOW_HIGH(logical), 0x35, 0x00, 0x46, LOW_HIGH(physical),
      0x66, LOW_HIGH(unit), 0x55, (uint8_t)(exponent & 0x0f),
      0x95, 0x01, 0x81, 0x02, 0xc0, 0xc0};
  memcpy(identity.descriptor, descriptor, sizeof descriptor);
  identity.size = sizeof descriptor;
}

static void report(bool tip, bool in_range, int pressure) {
  const uint8_t bytes[] = {0x01, (uint8_t)(tip | in_range << 1), LOW_HIGH(5000), LOW_HIGH(5000),
                           LOW_HIGH(pressure)};
  send_input(bytes, sizeof bytes);
}

static bool command(const char *line) {
  int value;
  if (sscanf(line, "press %d", &value) == 1) report(true, true, value);
  else if (!strcmp(line, "hover")) report(false, true, 0);
  else if (!strcmp(line, "release")) report(false, false, 0);
  else return false;
  return true;
}

// A pen has no features, and nobody tells it anything.
static size_t feature(uint8_t number, uint8_t *report) {
  (void)number, (void)report;
  return 0;
}
static void take_output(const uint8_t *report, size_t size) { (void)report, (void)size; }
static void take_feature(const uint8_t *report, size_t size) { (void)report, (void)size; }

int main(int count, char **words) {
  enum { NAME = 1, PHYS, UNIQ, UNIT, EXPONENT, LOGICAL, PHYSICAL };
  static const struct option known[] = {
      {"name", 1, 0, NAME}, {"phys", 1, 0, PHYS}, {"uniq", 1, 0, UNIQ}, {"unit", 1, 0, UNIT},
      {"exponent", 1, 0, EXPONENT}, {"logical", 1, 0, LOGICAL}, {"physical", 1, 0, PHYSICAL}, {0}};
  identity.name = "Test Pen";
  identity.phys = "test-pen/input0";
  identity.bus = BUS_USB;
  identity.vendor = 0x1209;
  identity.product = 0x0002;
  for (int got; (got = getopt_long(count, words, "", known, 0)) != -1;) {
    int number = optarg ? (int)strtol(optarg, 0, 0) : 0;
    switch (got) {
      case NAME: identity.name = optarg; break;
      case PHYS: identity.phys = optarg; break;
      case UNIQ: identity.uniq = optarg; break;
      case UNIT: unit = number; break;
      case EXPONENT: exponent = number; break;
      case LOGICAL: logical = number; break;
      case PHYSICAL: physical = number; break;
      default: return 2;
    }
  }
  describe();
  return run();
}
