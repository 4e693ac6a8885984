// Preloaded into a program: counts its allocations and writes the count to the file that
// BENCH_ALLOCATIONS names when it ends.
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_ulong count;
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) { atomic_fetch_add(&count, 1); return __libc_malloc(size); }
void *calloc(size_t n, size_t size) { atomic_fetch_add(&count, 1); return __libc_calloc(n, size); }
void *realloc(void *old, size_t size) { atomic_fetch_add(&count, 1); return __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { atomic_fetch_add(&count, 1); return __libc_memalign(alignment, size); }
int posix_memalign(void **out, size_t alignment, size_t size) {
  atomic_fetch_add(&count, 1);
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : 12;
}

static void tell(void) {
  unsigned long total = atomic_load(&count);
  const char *path = getenv("BENCH_ALLOCATIONS");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%lu\n", total);
  fclose(file);
}

__attribute__((destructor)) static void end(void) { tell(); }

// The daemon ends at once, without what exit() would run.
void _exit(int status) {
  tell();
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}
