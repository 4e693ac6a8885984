// floor SOCKET FEED...: the floor under the daemon. Whoever connects and says anything is sent every
// frame.
#include "relay.h"
#include <sys/signal.h>

static int listener, clients[2048], client_count;

static void publish(const char *message, size_t length) {
  for (int i = 0; i < client_count; i++) send(clients[i], message, length, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void ready(uint64_t token) {
  char request[1024];
  if (token == 0) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) watch(poll_set, fd, (uint64_t)fd);
  } else if (recv((int)token, request, sizeof request, MSG_DONTWAIT) > 0) {
    if (client_count == 2048) die("too many clients");
    clients[client_count++] = (int)token;
    send((int)token, "{}", 3, MSG_NOSIGNAL);
  } else {
    for (int i = 0; i < client_count; i++)
      if (clients[i] == (int)token) clients[i--] = clients[--client_count];
    close((int)token);
  }
}

static void end(int signal) { exit(signal == SIGTERM ? 0 : 1); }

int main(int argc, char **argv) {
  if (argc < 3) die("usage: floor SOCKET FEED...");
  signal(SIGTERM, end);
  poll_set = epoll_create1(EPOLL_CLOEXEC);
  listener = unix_listen(argv[1]);
  watch(poll_set, listener, 0);
  relay(argv + 2, argc - 2);
}
