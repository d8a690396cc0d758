#include <stdbool.h>

/// Whether the allocations of this process are counted: with glibc only.
bool allocations_are_counted(void);

/// Bytes in use, with the allocator's own word per allocation.
long allocations_bytes(void);

/// Allocations in use.
long allocations_live(void);

/// Allocations made so far.
long allocations_made(void);
