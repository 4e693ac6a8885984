#pragma once
#include <stdint.h>

// Counts the calling thread's system calls on the way of a press: reading, writing, sending,
// receiving, waiting and setting timers.
void system_calls_begin(void);
int64_t system_calls_end(void);
// 0 where a sanitizer has these calls for itself.
int32_t system_calls_available(void);
