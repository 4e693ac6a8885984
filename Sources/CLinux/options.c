#define _GNU_SOURCE
#include "options.h"

#include <getopt.h>
#include <string.h>

void clinux_options_begin(void) { optind = 0; }

void clinux_options_next(
    int32_t argc, char **argv, const struct clinux_option *table, int32_t count,
    int32_t stop_at_operand, struct clinux_option_found *found) {
  struct option options[65];
  memset(options, 0, sizeof options);
  for (int32_t i = 0; i < count && i < 64; i++) {
    options[i].name = table[i].name;
    options[i].has_arg = table[i].value == CLINUX_NEEDS_VALUE      ? required_argument
                         : table[i].value == CLINUX_MAY_HAVE_VALUE ? optional_argument
                                                                   : no_argument;
  }
  memset(found, 0, sizeof *found);
  found->index = -1;
  opterr = 0;
  int index = -1;
  // The leading ':' tells a missing value from an unknown option.
  int result = getopt_long(argc, argv, stop_at_operand ? "+:" : ":", options, &index);
  if (result == -1) {
    found->operand = optind;
  } else if (result == 0) {
    found->index = index;
    found->value = optarg;
  } else {
    found->problem = result;
    found->text = optind > 0 && optind <= argc ? argv[optind - 1] : NULL;
  }
}
