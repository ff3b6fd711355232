#pragma once

// Compiles a function for each vector width of x86-64; the widest that the CPU supports is chosen
// at run time. Meant for functions that are one simple loop. arm64 has a single width. Disabled
// under the sanitizers, which are not initialised yet when the choice is made.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TACHO_EVERY_VECTOR_WIDTH \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TACHO_EVERY_VECTOR_WIDTH
#endif
