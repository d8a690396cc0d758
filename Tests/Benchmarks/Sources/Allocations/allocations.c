#include "allocations.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

// Takes the place of the C library's allocator, which does the work, and counts. The program that is
// measured has one thread.

static long bytes, live, made;

long allocations_bytes(void) { return bytes; }
long allocations_live(void) { return live; }
long allocations_made(void) { return made; }

#if defined(__GLIBC__)

#include <malloc.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

bool allocations_are_counted(void) { return true; }

static long size_of(void *pointer) { return (long)(malloc_usable_size(pointer) + sizeof(size_t)); }

static void *counted(void *pointer) {
  if (pointer) {
    bytes += size_of(pointer);
    live += 1;
    made += 1;
  }
  return pointer;
}

static void forget(void *pointer) {
  if (pointer) {
    bytes -= size_of(pointer);
    live -= 1;
  }
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }
void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *pointer = memalign(alignment, size);
  if (!pointer) return ENOMEM;
  *result = pointer;
  return 0;
}

void *realloc(void *pointer, size_t size) {
  if (!pointer) return malloc(size);
  long former = size_of(pointer);
  void *moved = __libc_realloc(pointer, size);
  if (moved) {
    bytes += size_of(moved) - former;
    made += 1;
  } else if (size == 0) {
    bytes -= former;
    live -= 1;
  }
  return moved;
}

void free(void *pointer) {
  forget(pointer);
  __libc_free(pointer);
}

#else

bool allocations_are_counted(void) { return false; }

#endif
