#pragma once

#include <string>

#include "base/result.h"

namespace tacho {

enum class BlasKind { openblas_openmp, openblas_other, built_in, reference };

struct Blas {
  BlasKind kind = BlasKind::reference;
  std::string name;
};

// Returns the matrix library that this process has loaded, whatever was installed at build time.
Blas loaded_blas();

// Debian's torch uses the reference BLAS by default, ten times slower than necessary, and
// OpenBLAS's own threads ignore torch's thread count. Measurements with either are useless.
Result<void> refuse_slow(const Blas& blas);

}  // namespace tacho
