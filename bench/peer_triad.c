/* c = a + 3·b as one would write it with OpenMP. Prints the median rate of a pass in GB/s, counting
   the two arrays read and the one written, after checking the result.
     peer_triad BYTES_OF_AN_ARRAY PASSES
   NUMBER: float or double. STREAMED: stores past the caches, by hand. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

#ifndef NUMBER
#define NUMBER double
#endif
typedef NUMBER number;

static number* array_of(size_t bytes) {
  void* at = NULL;
  if (posix_memalign(&at, (size_t)2 << 20, bytes) != 0) exit(1);
#ifdef HUGE_PAGES
  madvise(at, bytes, MADV_HUGEPAGE);
#endif
  return at;
}

static void triad(const number* restrict a, const number* restrict b, number* restrict c, long n) {
#ifdef STREAMED
  const long each = 32 / (long)sizeof(number);
#pragma omp parallel for schedule(static)
  for (long i = 0; i < n; i += each) {
    number v[32 / sizeof(number)] __attribute__((aligned(32)));
    for (long k = 0; k < each; ++k) v[k] = a[i + k] + 3 * b[i + k];
#if defined(__aarch64__)
    typedef float lanes __attribute__((vector_size(16)));
    const lanes* w = (const lanes*)v;
    __asm__ volatile("stnp %q1, %q2, [%0]" : : "r"(c + i), "w"(w[0]), "w"(w[1]) : "memory");
#elif defined(__x86_64__)
    _mm_stream_ps((float*)(c + i), _mm_load_ps((const float*)v));
    _mm_stream_ps((float*)(c + i) + 4, _mm_load_ps((const float*)v + 4));
#endif
  }
#else
#pragma omp parallel for schedule(static)
  for (long i = 0; i < n; ++i) c[i] = a[i] + 3 * b[i];
#endif
}

static int ascending(const void* x, const void* y) {
  const double d = *(const double*)x - *(const double*)y;
  return d < 0 ? -1 : d > 0;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const size_t bytes = strtoull(argv[1], NULL, 10);
  const int passes = atoi(argv[2]);
  const long n = (long)(bytes / sizeof(number));
  number* a = array_of(bytes);
  number* b = array_of(bytes);
  number* c = array_of(bytes);
#pragma omp parallel for schedule(static)
  for (long i = 0; i < n; ++i) {
    a[i] = (number)(i % 17 - 8) / 8;
    b[i] = (number)(i % 13 - 6) / 8;
    c[i] = 0;
  }
  double* seconds = malloc((size_t)passes * sizeof(double));
  triad(a, b, c, n);
  for (int pass = 0; pass < passes; ++pass) {
    const double begin = omp_get_wtime();
    triad(a, b, c, n);
    seconds[pass] = omp_get_wtime() - begin;
  }
  for (long i = 0; i < n; ++i) {
    if (c[i] != a[i] + 3 * b[i]) {
      fprintf(stderr, "peer_triad: element %ld is wrong\n", i);
      return 1;
    }
  }
  qsort(seconds, (size_t)passes, sizeof(double), ascending);
  printf("%.4f\n", 3.0 * (double)bytes / seconds[passes / 2] / 1e9);
  return 0;
}
