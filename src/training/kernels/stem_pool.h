#pragma once

#include "training/kernels/kernels.h"

namespace tacho::kernels {

// The pool after a ResNet's stem: 3×3 windows with stride 2 and padding 1 over even sides.
constexpr bool is_stem_pool(const Pool& p) {
  return p.kernel == 3 && p.stride == 2 && p.padding == 1 && p.height % 2 == 0 && p.width % 2 == 0;
}

void stem_pool_forward(const Pool& p, const void* x, void* y, uint8_t* places, Stream stream);
void stem_pool_backward(const Pool& p, const void* dy, const uint8_t* places, void* dx,
                        Stream stream);

}  // namespace tacho::kernels
