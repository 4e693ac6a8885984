// load: plays the devices, and reads as every subscriber, in one process so that one clock stamps both.
//
//   load --feeds N --at PATH [--active N] [--rate HZ] [--frames N] [--warm N] [--pattern ramp|step]
//        [--subscribers N] [--kind varlink|dbus|mqtt] [--to SOCKET|ADDRESS|PORT] [--lockstep] [--hold]
//        [--fifo PRIORITY]
//
// Listens on PATH.0, PATH.1 … and says "listening". A line with the pids to charge starts it; it
// connects the subscribers, plays --warm frames, then --frames that count, and prints JSON. --lockstep
// sends a frame when the one before has arrived everywhere, so that none is ever read together with
// another. --hold plays one press and lets go, then leaves everything connected until its input ends.
#include "common.h"
#include "mqtt.h"
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <systemd/sd-bus.h>

enum { MOST_FEEDS = 64, MOST_SUBSCRIBERS = 2048, MOST_PIDS = 8, FEED = 1 << 20, TAIL = 48, VALUES = 4096, PRESS = 60 };
enum kind { VARLINK, DBUS, MQTT };

static int feed_count = 1, active = 1, rate = 1000, frames = 2000, warm = 200, subscriber_count = 1;
static int lockstep, hold, fifo, step_pattern;
static const char *at, *to;
static enum kind kind;

static int feeds[MOST_FEEDS], subscribers[MOST_SUBSCRIBERS], poll_set;
// What is left of a message that was cut before its value could be read.
static char tails[MOST_SUBSCRIBERS][TAIL];
static int tail_lengths[MOST_SUBSCRIBERS];

// Every frame that was sent, in ns: when it was written, and when it arrived first and last.
static int64_t *sent_at, *first_at, *last_at;
static int *arrivals;
// The newest frame with each value, and the newest that each subscriber has seen of each device.
static atomic_int frame_of[VALUES];
static int seen[MOST_SUBSCRIBERS][MOST_FEEDS];
static atomic_int sent;
static int total, counted_from;
static int64_t messages, *latencies, latency_count, latency_room, *motor, motor_count, motor_missed;
static atomic_int finished;

// --- Sending ---------------------------------------------------------------------------------------

// Up and down over the range; every device has values of its own, and no value comes twice in a period.
static int32_t value_of(int feed, int tick) {
  if (step_pattern) return tick % PRESS < PRESS / 2 ? 400 + tick % PRESS : 4078 + tick % 15;
  int period = 4000 / active & ~1;
  if (period > 200) period = 200;
  int place = tick % period;
  int rank = place < period / 2 ? 2 * place : 2 * (period - place) - 1;
  return 50 + (rank * active + feed) * (4000 / (period * active));
}

static int is_trigger(int tick) { return step_pattern && tick % PRESS == PRESS / 2 + 1; }

static void set_time(struct input_event *event, int64_t microseconds) {
  event->time.tv_sec = microseconds / 1000000;
  event->time.tv_usec = microseconds % 1000000;
}

static void send_frame(int feed, int tick) {
  static int touched[MOST_FEEDS];
  struct input_event events[3] = {
      {.type = EV_KEY, .code = BTN_TOUCH, .value = 1},
      {.type = EV_ABS, .code = ABS_PRESSURE, .value = value_of(feed, tick)},
      {.type = EV_SYN}};
  int skipped = touched[feed];
  touched[feed] = 1;
  int index = atomic_load(&sent);
  int64_t now = now_ns();
  sent_at[index] = now;
  for (int i = 0; i < 3; i++) set_time(&events[i], now / 1000);
  atomic_store(&frame_of[events[1].value], index);
  atomic_store(&sent, index + 1);
  size_t size = (size_t)(3 - skipped) * sizeof *events;
  if (write(feeds[feed], events + skipped, size) != (ssize_t)size) die("a feed is full");
}

static void release(int feed) {
  struct input_event events[3] = {{.type = EV_KEY, .code = BTN_TOUCH}, {.type = EV_ABS, .code = ABS_PRESSURE}, {.type = EV_SYN}};
  for (int i = 0; i < 3; i++) set_time(&events[i], now_ns() / 1000);
  if (write(feeds[feed], events, sizeof events) < 0) die("a feed is full");
}

static void sleep_until(int64_t time) {
  struct timespec when = {time / 1000000000, time % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR) {
  }
}

static void *generate(void *unused) {
  (void)unused;
  int64_t next = now_ns();
  for (int tick = 0; tick < warm + frames; tick++) {
    next += 1000000000 / rate;
    sleep_until(next);
    for (int feed = 0; feed < active; feed++) send_frame(feed, tick);
  }
  sleep_until(now_ns() + 200000000);
  atomic_store(&finished, 1);
  return NULL;
}

// --- Arriving --------------------------------------------------------------------------------------

// A raw value names a frame, because each stands for one frame only until long after it has arrived.
// The time in the message does not: smoothing moves it on where it came before a late frame.
static void arrived(int subscriber, int raw, int64_t now) {
  int frame = raw < VALUES ? atomic_load(&frame_of[raw]) : -1;
  if (frame < 0 || seen[subscriber][frame % active] == frame) return; // a later step of the smoothing
  seen[subscriber][frame % active] = frame;
  if (!arrivals[frame]++) first_at[frame] = now;
  last_at[frame] = now;
  if (frame >= counted_from && latency_count < latency_room) latencies[latency_count++] = now - sent_at[frame];
}

static void receive(int index) {
  static char bytes[TAIL + (1 << 18)];
  char *start = bytes + TAIL - tail_lengths[index];
  memcpy(start, tails[index], (size_t)tail_lengths[index]);
  ssize_t count = recv(subscribers[index], bytes + TAIL, sizeof bytes - TAIL, MSG_DONTWAIT);
  int64_t now = now_ns();
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) die("subscriber %d was hung up on", index);
  char *end = bytes + TAIL + count, *place = start, *found;
  while ((found = memmem(place, (size_t)(end - place), "\"raw\":", 6))) {
    int raw = 0;
    char *digit = found + 6;
    while (digit < end && *digit >= '0' && *digit <= '9') raw = raw * 10 + (*digit++ - '0');
    if (digit == end) break; // the number may go on
    if (atomic_load(&sent) > counted_from) messages++;
    arrived(index, raw, now);
    place = digit;
  }
  if (end - place > TAIL) place = found ? found : end - TAIL;
  tail_lengths[index] = (int)(end - place);
  memcpy(tails[index], place, (size_t)(end - place));
}

static void receive_motor(int feed) {
  struct input_event event;
  if (recv(feeds[feed], &event, sizeof event, MSG_DONTWAIT) != sizeof event) {
    if (errno == EAGAIN) return;
    die("device %d was hung up on", feed);
  }
  int64_t now = now_ns();
  int last = atomic_load(&sent) - 1;
  if (event.type != EV_FF || event.value != 1 || last < counted_from || active != 1) return;
  if (is_trigger(last)) motor[motor_count++] = now - sent_at[last];
  else motor_missed++;
}

static void take_arrivals(int milliseconds) {
  struct epoll_event ready[256];
  int count = epoll_wait(poll_set, ready, 256, milliseconds);
  for (int i = 0; i < count; i++) {
    uint64_t token = ready[i].data.u64;
    if (token >= FEED) receive_motor((int)(token - FEED));
    else receive((int)token);
  }
}

static void run_in_lockstep(void) {
  int64_t next = now_ns();
  for (int tick = 0; tick < warm + frames; tick++) {
    next += 1000000000 / rate;
    if (next < now_ns()) next = now_ns();
    sleep_until(next);
    send_frame(0, tick);
    int64_t limit = now_ns() + 10000000000;
    while (arrivals[tick] < subscriber_count) {
      take_arrivals(100);
      if (now_ns() > limit) die("frame %d did not arrive", tick);
    }
  }
}

// --- Subscribing -----------------------------------------------------------------------------------

static int subscribe_dbus(void) {
  sd_bus *bus;
  if (sd_bus_new(&bus) < 0 || sd_bus_set_address(bus, to) < 0 || sd_bus_set_bus_client(bus, 1) < 0 ||
      sd_bus_start(bus) < 0 || sd_bus_add_match(bus, NULL, "type='signal',interface='org.forced.Bench'", NULL, NULL) < 0)
    die("cannot subscribe to %s", to);
  return sd_bus_get_fd(bus); // read as plain bytes from here on
}

static int subscribe_varlink(void) {
  static const char call[] = "{\"method\":\"org.forced.Force.Watch\",\"more\":true}";
  char bytes[4096];
  int fd = unix_connect(to);
  write_all(fd, call, sizeof call);
  if (recv(fd, bytes, sizeof bytes, 0) <= 0) die("no answer to Watch");
  return fd;
}

static void subscribe(void) {
  for (int i = 0; i < subscriber_count; i++) {
    switch (kind) {
      case VARLINK: subscribers[i] = subscribe_varlink(); break;
      case DBUS: subscribers[i] = subscribe_dbus(); break;
      case MQTT: subscribers[i] = mqtt_connect(atoi(to), i + 1); mqtt_subscribe(subscribers[i]); break;
    }
    watch(poll_set, subscribers[i], (uint64_t)i);
  }
}

// --- Accounts --------------------------------------------------------------------------------------

static int64_t cpu_of(const int *pids, int count) {
  int64_t sum = 0;
  for (int i = 0; i < count; i++) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pids[i], &clock) || clock_gettime(clock, &time)) die("no process %d", pids[i]);
    sum += (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
  }
  return sum;
}

static int compare(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

// A percentile with less than one value above it would only be the largest value: it is left out.
static void print(const char *name, int64_t *values, int64_t count) {
  printf("\"%s\":{\"count\":%ld", name, (long)count);
  if (count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    static const double ranks[] = {0.5, 0.9, 0.99, 0.999, 1};
    static const char *names[] = {"p50", "p90", "p99", "p999", "max"};
    for (int i = 0; i < 5; i++) {
      if (i > 0 && ranks[i] < 1 && (1 - ranks[i]) * (double)count < 1) continue;
      int64_t place = (int64_t)(ranks[i] * (double)count);
      printf(",\"%s\":%.3f", names[i], (double)values[place < count ? place : count - 1] / 1000);
    }
  }
  printf("},");
}

static void report(int64_t cpu) {
  int64_t *first = calloc((size_t)total + 1, sizeof *first), *last = calloc((size_t)total + 1, sizeof *last), whole = 0;
  for (int i = counted_from; i < total; i++) {
    if (arrivals[i] < subscriber_count) continue;
    first[whole] = first_at[i] - sent_at[i];
    last[whole++] = last_at[i] - sent_at[i];
  }
  printf("{");
  print("client", latencies, latency_count);
  print("first", first, whole);
  print("last", last, whole);
  print("motor", motor, motor_count);
  printf("\"motor_missed\":%ld,\"frames\":%d,\"messages\":%ld,\"cpu_ns\":%ld}\n", (long)motor_missed,
         total - counted_from, (long)messages, (long)cpu);
}

static void allocate(void) {
  size_t room = (size_t)total + 1;
  latency_room = (int64_t)(total - counted_from) * subscriber_count + 1;
  if (latency_room > 4000000) latency_room = 4000000;
  sent_at = calloc(room, 8), first_at = calloc(room, 8), last_at = calloc(room, 8);
  arrivals = calloc(room, sizeof *arrivals), motor = calloc(room, 8), latencies = calloc((size_t)latency_room, 8);
  if (!sent_at || !first_at || !last_at || !arrivals || !motor || !latencies) die("no memory");
  for (int i = 0; i < VALUES; i++) atomic_store(&frame_of[i], -1);
  memset(seen, -1, sizeof seen);
  // No page is touched for the first time while time is taken.
  memset(sent_at, 1, room * 8), memset(first_at, 1, room * 8);
  memset(last_at, 1, room * 8), memset(motor, 1, room * 8), memset(latencies, 1, (size_t)latency_room * 8);
}

static void take_options(int argc, char **argv) {
  static const struct option known[] = {
      {"feeds", 1, 0, 'f'}, {"at", 1, 0, 'a'}, {"active", 1, 0, 'A'}, {"rate", 1, 0, 'r'},
      {"frames", 1, 0, 'n'}, {"warm", 1, 0, 'w'}, {"pattern", 1, 0, 'p'}, {"subscribers", 1, 0, 's'},
      {"kind", 1, 0, 'k'}, {"to", 1, 0, 't'}, {"lockstep", 0, 0, 'l'}, {"hold", 0, 0, 'h'},
      {"fifo", 1, 0, 'F'}, {0}};
  active = -1;
  for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) switch (option) {
      case 'f': feed_count = atoi(optarg); break;
      case 'a': at = optarg; break;
      case 'A': active = atoi(optarg); break;
      case 'r': rate = atoi(optarg); break;
      case 'n': frames = atoi(optarg); break;
      case 'w': warm = atoi(optarg); break;
      case 'p': step_pattern = !strcmp(optarg, "step"); break;
      case 's': subscriber_count = atoi(optarg); break;
      case 'k': kind = !strcmp(optarg, "dbus") ? DBUS : !strcmp(optarg, "mqtt") ? MQTT : VARLINK; break;
      case 't': to = optarg; break;
      case 'l': lockstep = 1; break;
      case 'h': hold = 1; break;
      case 'F': fifo = atoi(optarg); break;
      default: exit(2);
    }
  if (active < 0) active = feed_count;
  if (!at || !to || rate < 1 || feed_count > MOST_FEEDS || active > feed_count || subscriber_count > MOST_SUBSCRIBERS)
    die("load: see the head of bench/load.c for its options");
}

int main(int argc, char **argv) {
  take_options(argc, argv);
  raise_descriptor_limit();
  total = (warm + frames) * active;
  counted_from = warm * active;
  allocate();
  poll_set = epoll_create1(EPOLL_CLOEXEC);
  int listeners[MOST_FEEDS];
  char path[256], line[256];
  for (int i = 0; i < feed_count; i++) {
    snprintf(path, sizeof path, "%s.%d", at, i);
    listeners[i] = unix_listen(path);
  }
  puts("listening");
  fflush(stdout);
  if (!fgets(line, sizeof line, stdin)) return 0;
  int pids[MOST_PIDS], pid_count = 0;
  for (char *word = strtok(line, " \n"); word && pid_count < MOST_PIDS; word = strtok(NULL, " \n")) pids[pid_count++] = atoi(word);
  for (int i = 0; i < feed_count; i++) {
    feeds[i] = accept4(listeners[i], NULL, NULL, SOCK_CLOEXEC);
    if (feeds[i] < 0) die("no device wanted");
    watch(poll_set, feeds[i], FEED + (uint64_t)i);
  }
  subscribe();
  struct sched_param priority = {.sched_priority = fifo};
  if (fifo && sched_setscheduler(0, SCHED_FIFO, &priority)) die("no real-time priority");
  if (hold) {
    send_frame(0, 0);
    release(0);
    puts("holding");
    fflush(stdout);
    // The subscribers' buffers must not fill: what comes is thrown away.
    struct epoll_event input = {.events = EPOLLIN, .data.u64 = MOST_SUBSCRIBERS};
    epoll_ctl(poll_set, EPOLL_CTL_ADD, 0, &input);
    while (1) {
      struct epoll_event ready;
      if (epoll_wait(poll_set, &ready, 1, -1) < 1) continue;
      if (ready.data.u64 == MOST_SUBSCRIBERS) return 0;
      if (ready.data.u64 >= FEED) receive_motor((int)(ready.data.u64 - FEED));
      else receive((int)ready.data.u64);
    }
  }
  int64_t before = 0;
  if (lockstep) {
    before = cpu_of(pids, pid_count);
    run_in_lockstep();
  } else {
    pthread_t generator;
    if (pthread_create(&generator, NULL, generate, NULL)) die("no thread");
    int warming = 1;
    while (!atomic_load(&finished)) {
      take_arrivals(20);
      if (warming && atomic_load(&sent) >= counted_from) {
        before = cpu_of(pids, pid_count);
        warming = 0;
      }
    }
    pthread_join(generator, NULL);
  }
  report(cpu_of(pids, pid_count) - before);
}
