// relay-mqtt PORT FEED...: the same readings as MQTT messages of QoS 0, for a broker to spread.
#include "mqtt.h"
#include "relay.h"

static int broker;

static void publish(const char *message, size_t length) {
  char packet[1024];
  size_t body = 2 + sizeof TOPIC - 1 + length;
  packet[0] = 0x30;
  packet[1] = (char)(body % 128 | 128);
  packet[2] = (char)(body / 128);
  packet[3] = 0;
  packet[4] = sizeof TOPIC - 1;
  memcpy(packet + 5, TOPIC, sizeof TOPIC - 1);
  memcpy(packet + 5 + sizeof TOPIC - 1, message, length);
  write_all(broker, packet, body + 3);
}

static void ready(uint64_t token) {
  char bytes[256];
  (void)token;
  if (read(broker, bytes, sizeof bytes) <= 0) exit(0);
}

int main(int argc, char **argv) {
  if (argc < 3) die("usage: relay-mqtt PORT FEED...");
  poll_set = epoll_create1(EPOLL_CLOEXEC);
  broker = mqtt_connect(atoi(argv[1]), 0);
  watch(poll_set, broker, 0);
  relay(argv + 2, argc - 2);
}
