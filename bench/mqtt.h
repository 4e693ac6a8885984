// As much of MQTT 3.1.1 as the benchmark speaks.
#pragma once
#include "common.h"
#include <arpa/inet.h>
#include <netinet/tcp.h>

#define TOPIC "forced/reading"

static inline void write_all(int fd, const void *bytes, size_t count) {
  if (write(fd, bytes, count) != (ssize_t)count) die("cannot write");
}

static inline void read_all(int fd, void *bytes, size_t count) {
  if (recv(fd, bytes, count, MSG_WAITALL) != (ssize_t)count) die("the broker hung up");
}

// Connects to a broker on this machine and waits for its CONNACK.
static inline int mqtt_connect(int port, int number) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address)) die("no broker on port %d", port);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  char packet[32] = {0x10, 18, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 0, 0, 6}, answer[4];
  snprintf(packet + 14, sizeof packet - 14, "c%05d", number);
  write_all(fd, packet, 20);
  read_all(fd, answer, 4);
  return fd;
}

static inline void mqtt_subscribe(int fd) {
  char packet[64] = {(char)0x82, 2 + 2 + sizeof TOPIC - 1 + 1, 0, 1, 0, sizeof TOPIC - 1}, answer[5];
  memcpy(packet + 6, TOPIC, sizeof TOPIC - 1);
  write_all(fd, packet, 6 + sizeof TOPIC - 1 + 1);
  read_all(fd, answer, 5);
}
