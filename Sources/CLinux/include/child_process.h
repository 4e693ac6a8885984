#pragma once
// Starting other programs without a shell, and signals to them.
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Starts argv[0], looked up in PATH, with standard input from /dev/null, no signal blocked and none
// ignored but those that the shell ignored. `variables` ("NAME=value") are put over the environment.
// Both lists end with NULL. Writes the process id; -errno when it cannot be started.
int32_t clinux_spawn(
    char *_Nullable *_Nonnull argv, char *_Nullable *_Nonnull variables, int32_t *process);

// Waits for the end of a child and leaves it there, so that its number stays its own.
int32_t clinux_await_child(int32_t process);

// Waits for the end of a child and takes it away. Writes its exit status, or the signal that ended it.
int32_t clinux_wait_child(int32_t process, int32_t *status, int32_t *signal);

int32_t clinux_send_signal(int32_t process, int32_t signal);

#pragma clang assume_nonnull end
