#pragma once
#include <stdint.h>

// Counts the heap allocations of the calling thread: the test binary's own malloc and its kin stand
// before the C library's. Not under a sanitizer, which needs their places for itself.
int32_t allocations_available(void);
void allocations_begin(void);
// How many there were since the beginning.
int64_t allocations_end(void);
