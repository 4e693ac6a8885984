#include "include/getopt_shim.h"

#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdlib.h>

// Values that getopt_long returns for options: the index, above every character.
enum { FIRST_VALUE = 0x100 };

static pthread_mutex_t getopt_state = PTHREAD_MUTEX_INITIALIZER;

static void describe_options(
    const struct getopt_shim_option *options, size_t count, int32_t in_order, char *letters,
    struct option *longs) {
  // '+' stops at the first operand; ':' tells a missing value from an unknown option.
  if (in_order) *letters++ = '+';
  *letters++ = ':';
  for (size_t i = 0; i < count; i++) {
    longs[i].name = options[i].name;
    longs[i].has_arg = options[i].value;
    longs[i].flag = NULL;
    longs[i].val = FIRST_VALUE + (int)i;
    if (options[i].short_name == 0) continue;
    *letters++ = options[i].short_name;
    for (int32_t colons = 0; colons < options[i].value; colons++) *letters++ = ':';
  }
  *letters = 0;
}

static int32_t index_of(const struct getopt_shim_option *options, size_t count, int result) {
  if (result >= FIRST_VALUE) return result - FIRST_VALUE;
  for (size_t i = 0; i < count; i++) {
    if (result != 0 && options[i].short_name == (char)result) return (int32_t)i;
  }
  return -1;
}

static struct getopt_shim_found describe_result(
    const struct getopt_shim_option *options, size_t count, int result) {
  struct getopt_shim_found found = {.word = optind - 1};
  if (result != '?' && result != ':') {
    found.option = index_of(options, count, result);
    found.value = optarg;
    return found;
  }
  found.option = index_of(options, count, optopt);
  if (result == ':') {
    found.problem = GETOPT_SHIM_MISSING_VALUE;
  } else if (found.option >= 0) {
    found.problem = GETOPT_SHIM_UNWANTED_VALUE;
  } else {
    found.problem = GETOPT_SHIM_UNKNOWN;
    found.short_name = (char)optopt;
  }
  return found;
}

int32_t getopt_shim_parse(
    int32_t argc, char **argv, const struct getopt_shim_option *options, size_t count,
    int32_t in_order, void (*found)(void *context, const struct getopt_shim_found *option),
    void *context) {
  char *letters = malloc(3 + 3 * count);
  struct option *longs = calloc(count + 1, sizeof *longs);
  if (!letters || !longs) {
    free(letters);
    free(longs);
    return -ENOMEM;
  }
  describe_options(options, count, in_order, letters, longs);
  pthread_mutex_lock(&getopt_state);
  // 0 makes glibc start afresh; 1 would leave it inside the last cluster of letters.
  optind = 0;
  opterr = 0;
  int result;
  while ((result = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
    struct getopt_shim_found option = describe_result(options, count, result);
    found(context, &option);
    if (option.problem != GETOPT_SHIM_FINE) break;
  }
  int32_t first_operand = optind;
  pthread_mutex_unlock(&getopt_state);
  free(letters);
  free(longs);
  return first_operand;
}
