#pragma once
// getopt_long, which keeps its state in globals, as one call that reads a whole command line.
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

enum { GETOPT_SHIM_NO_VALUE = 0, GETOPT_SHIM_VALUE = 1, GETOPT_SHIM_OPTIONAL_VALUE = 2 };

struct getopt_shim_option {
  const char *name;
  // 0 where the option has no short name.
  char short_name;
  int32_t value;
};

enum getopt_shim_problem {
  GETOPT_SHIM_FINE = 0,
  // The word that was not understood is argv[word].
  GETOPT_SHIM_UNKNOWN = 1,
  GETOPT_SHIM_MISSING_VALUE = 2,
  GETOPT_SHIM_UNWANTED_VALUE = 3,
};

struct getopt_shim_found {
  enum getopt_shim_problem problem;
  // Index into the options; -1 where the option is not known.
  int32_t option;
  const char *_Nullable value;
  // The option's letter where a short one is not known, else 0.
  char short_name;
  int32_t word;
};

// Reads argv (argv[0] is the program, argv[argc] is NULL), which it reorders: operands go last,
// unless in_order stops at the first of them. Calls `found` for each option, until the first
// problem. Returns the index of the first operand, or -ENOMEM.
int32_t getopt_shim_parse(
    int32_t argc, char *_Nullable *_Nonnull argv, const struct getopt_shim_option *options,
    size_t count, int32_t in_order,
    void (*found)(void *_Nullable context, const struct getopt_shim_found *option),
    void *_Nullable context);

#pragma clang assume_nonnull end
