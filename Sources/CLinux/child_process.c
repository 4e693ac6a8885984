#define _GNU_SOURCE
#include "include/child_process.h"
#include "retry.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_replaced(const char *entry, char **variables) {
  size_t length = strcspn(entry, "=");
  for (; *variables; variables++) {
    if (strncmp(entry, *variables, length) == 0 && (*variables)[length] == '=') return 1;
  }
  return 0;
}

// The environment with the variables put over it; freed as a whole. NULL without memory.
static char **merged_environment(char **variables) {
  size_t count = 0;
  for (char **entry = environ; *entry; entry++) count++;
  for (char **entry = variables; *entry; entry++) count++;
  char **merged = malloc((count + 1) * sizeof *merged);
  if (!merged) return NULL;
  size_t used = 0;
  for (char **entry = environ; *entry; entry++) {
    if (!is_replaced(*entry, variables)) merged[used++] = *entry;
  }
  for (char **entry = variables; *entry; entry++) merged[used++] = *entry;
  merged[used] = NULL;
  return merged;
}

// What this program does to signals is no business of the other's.
static int reset_signals(posix_spawnattr_t *attributes) {
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  int failure = posix_spawnattr_setsigmask(attributes, &none);
  if (!failure) failure = posix_spawnattr_setsigdefault(attributes, &defaults);
  if (failure) return failure;
  return posix_spawnattr_setflags(
      attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

int32_t clinux_spawn(char **argv, char **variables, int32_t *process) {
  char **environment = merged_environment(variables);
  if (!environment) return -ENOMEM;
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  int failure = posix_spawn_file_actions_init(&files);
  if (failure) goto free_environment;
  failure = posix_spawnattr_init(&attributes);
  if (failure) goto free_files;
  failure = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!failure) failure = reset_signals(&attributes);
  pid_t started = -1;
  if (!failure) {
    failure = posix_spawnp(&started, argv[0], &files, &attributes, argv, environment);
  }
  *process = started;
  posix_spawnattr_destroy(&attributes);
free_files:
  posix_spawn_file_actions_destroy(&files);
free_environment:
  free(environment);
  return -failure;
}

int32_t clinux_await_child(int32_t process) {
  siginfo_t info;
  return RETRY(waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT));
}

int32_t clinux_wait_child(int32_t process, int32_t *status, int32_t *signal) {
  int outcome = 0;
  pid_t result = RETRY(waitpid(process, &outcome, 0));
  if (result < 0) return result;
  *status = WIFEXITED(outcome) ? WEXITSTATUS(outcome) : 0;
  *signal = WIFSIGNALED(outcome) ? WTERMSIG(outcome) : 0;
  return 0;
}

int32_t clinux_send_signal(int32_t process, int32_t signal) {
  return kill(process, signal) < 0 ? -errno : 0;
}
