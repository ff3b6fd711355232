#pragma once

#include <string>

#include "base/result.h"

namespace tacho {

enum class BlasKind { openblas_openmp, openblas_other, built_in, reference };

struct Blas {
  BlasKind kind = BlasKind::reference;
  std::string name;
};

// The matrix library this process has really loaded, whatever was installed when it was built.
Blas loaded_blas();

// Debian's torch runs on the reference BLAS as installed, ten times slower than it could; and
// OpenBLAS's own threads do not heed torch's thread count. Nobody wants figures of either.
Result<void> refuse_slow(const Blas& blas);

}  // namespace tacho
