#include "training/train/blas.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "training/train/torch_api.h"

namespace tacho {
namespace {

template <class Function>
Function find_symbol(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
}

// "OpenBLAS 0.3.21 DYNAMIC_ARCH …": only the first two words are informative.
std::string short_config(std::string config) {
  const auto second = config.find(' ', config.find(' ') + 1);
  if (second != std::string::npos) config.resize(second);
  return config;
}

}  // namespace

Blas loaded_blas() {
  if (torch_api::carries_its_own_blas()) return {BlasKind::built_in, "MKL, built into torch"};
  const auto config = find_symbol<char* (*)()>("openblas_get_config");
  const auto parallel = find_symbol<int (*)()>("openblas_get_parallel");
  if (config == nullptr || parallel == nullptr) {
    return {BlasKind::reference, "reference BLAS"};
  }
  constexpr int kOpenMp = 2;
  const bool openmp = parallel() == kOpenMp;
  return {openmp ? BlasKind::openblas_openmp : BlasKind::openblas_other,
          fmt::format("{} ({})", short_config(config()), openmp ? "OpenMP" : "own threads")};
}

Result<void> refuse_slow(const Blas& blas) {
  switch (blas.kind) {
    case BlasKind::openblas_openmp:
    case BlasKind::built_in:
      return {};
    case BlasKind::openblas_other:
    case BlasKind::reference:
      break;
  }
  return Error{ErrorCode::unavailable,
               fmt::format("torch is running on {}, which makes every measurement meaningless; "
                           "apt-get install libopenblas0-openmp, or measure it anyway with --stock",
                           blas.name)};
}

}  // namespace tacho
