#pragma once

// In front of a function that is one simple loop: it is compiled for each width of vector unit,
// and the widest this CPU has is taken at run time. On arm64 every CPU has the one width there is.
// Not under the sanitizers, which are not ready yet when the choice is made.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TACHO_EVERY_VECTOR_WIDTH \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TACHO_EVERY_VECTOR_WIDTH
#endif
