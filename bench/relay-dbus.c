// relay-dbus ADDRESS FEED...: the same readings as a D-Bus signal, for a dbus-daemon to spread.
#include "relay.h"
#include <systemd/sd-bus.h>

static sd_bus *bus;

static void publish(const char *message, size_t length) {
  (void)length;
  if (sd_bus_emit_signal(bus, "/org/forced/Bench", "org.forced.Bench", "Reading", "s", message) < 0 ||
      sd_bus_flush(bus) < 0)
    die("cannot emit");
}

static void ready(uint64_t token) {
  (void)token;
  while (sd_bus_process(bus, NULL) > 0) {
  }
}

int main(int argc, char **argv) {
  if (argc < 3) die("usage: relay-dbus ADDRESS FEED...");
  poll_set = epoll_create1(EPOLL_CLOEXEC);
  if (sd_bus_new(&bus) < 0 || sd_bus_set_address(bus, argv[1]) < 0 ||
      sd_bus_set_bus_client(bus, 1) < 0 || sd_bus_start(bus) < 0)
    die("cannot connect to %s", argv[1]);
  const char *name;
  if (sd_bus_get_unique_name(bus, &name) < 0) die("the bus gives no name");
  watch(poll_set, sd_bus_get_fd(bus), 0);
  relay(argv + 2, argc - 2);
}
