#pragma once
// getopt_long, whose globals Swift cannot reach safely.
#include <stdint.h>

#pragma clang assume_nonnull begin

enum { CLINUX_NO_VALUE, CLINUX_NEEDS_VALUE, CLINUX_MAY_HAVE_VALUE };
struct clinux_option {
  const char *name;
  int32_t value;  // one of the three above
};
struct clinux_option_found {
  int32_t index;                // into the table; -1 at the end of the options
  const char *_Nullable value;  // inside the argument that it came from
  int32_t operand;              // at the end: where the operands start
  int32_t problem;              // 0, or '?' for an unknown option, ':' for a missing value
  const char *_Nullable text;   // with a problem: the argument as it was written
};

// Forgets what an earlier command line left behind.
void clinux_options_begin(void);
// The next option. `count` is at most 64. With `stop_at_operand` the first operand ends the options;
// otherwise operands are moved behind them.
void clinux_options_next(
    int32_t argc, char *_Nullable *_Nonnull argv, const struct clinux_option *table, int32_t count,
    int32_t stop_at_operand, struct clinux_option_found *found);

#pragma clang assume_nonnull end
