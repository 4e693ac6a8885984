#include "include/callocations.h"

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

static _Thread_local int64_t count;
static _Thread_local int32_t counting;

void allocations_begin(void) {
  count = 0;
  counting = 1;
}

int64_t allocations_end(void) {
  counting = 0;
  return count;
}

#ifdef SANITIZED
int32_t allocations_available(void) { return 0; }
#else
int32_t allocations_available(void) { return 1; }

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
  count += counting;
  return __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
  count += counting;
  return __libc_calloc(items, size);
}

void *realloc(void *memory, size_t size) {
  count += counting;
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  count += counting;
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count += counting;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  count += counting;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : 12;  // ENOMEM
}
#endif
