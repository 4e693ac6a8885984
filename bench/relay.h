// The least that stands between an input device and its readers: one epoll set, one read a frame, the
// message, and whatever carries it. No smoothing, no checks, no state but the last value.
//
// A program that includes this defines publish() and ready(), and runs relay() with the feeds.
#pragma once
#include "common.h"

enum { MAXIMUM = 4095, REACHED = 4075, RELEASED = 3890, FEED = 1 << 20 };

static int poll_set;
static int feeds[64], feed_count;
static int32_t pressure[64];
static int armed[64];
static uint64_t sequence[64];

static void publish(const char *message, size_t length);
static void ready(uint64_t token);

static char *put_text(char *out, const char *text, size_t length) {
  memcpy(out, text, length);
  return out + length;
}
#define PUT(out, text) put_text(out, text, sizeof text - 1)

static char *put_number(char *out, uint64_t value) {
  char digits[20];
  int count = 0;
  do digits[count++] = (char)('0' + value % 10);
  while (value /= 10);
  while (count) *out++ = digits[--count];
  return out;
}

static char *put_hundredths(char *out, uint64_t value) {
  out = put_number(out, value / 100);
  *out++ = '.';
  *out++ = (char)('0' + value / 10 % 10);
  *out++ = (char)('0' + value % 10);
  return out;
}

// The daemon's message for a reading, with the value as it came.
static void publish_frame(int feed, const struct input_event *last) {
  char message[512], *out = message;
  uint64_t raw = (uint64_t)pressure[feed], time = (uint64_t)last->time.tv_sec * 1000000 + (uint64_t)last->time.tv_usec;
  out = PUT(out, "{\"parameters\":{\"event\":\"reading\",\"reading\":{\"device\":\"fed-pad");
  if (feed) out = put_number(PUT(out, "-"), (uint64_t)feed + 1);
  out = PUT(out, "\",\"contact\":0,\"sequence\":");
  out = put_number(out, ++sequence[feed]);
  out = PUT(out, ",\"time\":");
  out = put_number(out, time);
  out = PUT(out, ",\"raw\":");
  out = put_number(out, raw);
  out = PUT(out, ",\"percent\":");
  out = put_hundredths(out, raw * 10000 / MAXIMUM);
  out = PUT(out, ",\"grams\":");
  out = put_hundredths(out, raw * 38500 / MAXIMUM);
  out = PUT(out, ",\"grams_source\":\"nominal\",\"unsmoothed_percent\":");
  out = put_hundredths(out, raw * 10000 / MAXIMUM);
  out = PUT(out, ",\"at_maximum\":false,\"state\":\"touching\"}},\"continues\":true}");
  *out++ = 0;
  publish(message, (size_t)(out - message));
}

// Plays in the frame after the one that reached the maximum: a limit on the rise makes the daemon's
// value arrive there then, too.
static void play(int feed, int32_t before) {
  if (before < RELEASED) armed[feed] = 1;
  if (!armed[feed] || before < REACHED) return;
  armed[feed] = 0;
  struct input_event event = {.type = EV_FF, .value = 1};
  if (write(feeds[feed], &event, sizeof event) < 0) die("cannot play");
}

static void take(int feed) {
  static struct input_event events[64];
  ssize_t count = read(feeds[feed], events, sizeof events);
  if (count <= 0) exit(0);
  int32_t before = pressure[feed];
  for (size_t i = 0; i < (size_t)count / sizeof *events; i++) {
    if (events[i].type == EV_ABS) pressure[feed] = events[i].value;
    if (events[i].type != EV_SYN) continue;
    play(feed, before);
    publish_frame(feed, &events[i]);
    before = pressure[feed];
  }
}

static void relay(char **paths, int count) {
  raise_descriptor_limit();
  for (feed_count = 0; feed_count < count; feed_count++) {
    feeds[feed_count] = unix_connect(paths[feed_count]);
    watch(poll_set, feeds[feed_count], FEED + (uint64_t)feed_count);
  }
  while (1) {
    struct epoll_event events[64];
    int found = epoll_wait(poll_set, events, 64, -1);
    for (int i = 0; i < found; i++) {
      uint64_t token = events[i].data.u64;
      if (token >= FEED) take((int)(token - FEED));
      else ready(token);
    }
  }
}
