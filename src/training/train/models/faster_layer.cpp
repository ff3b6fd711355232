#include "training/train/models/faster_layer.h"

#include <utility>

#ifdef TACHO_CUDA
#include "training/train/cuda/kernel_choice.h"
#endif

namespace tacho::layers {
namespace {

thread_local bool plain_operations = false;

}  // namespace

PlainOperations::PlainOperations() : before_(std::exchange(plain_operations, true)) {}
PlainOperations::~PlainOperations() { plain_operations = before_; }

bool wants_plain_operations() { return plain_operations; }

bool tries_ours(const LayerVariants& variants, const Tensors& inputs) {
#ifdef TACHO_CUDA
  return inputs[0].is_cuda() && !plain_operations && kernel_choice::takes_ours(variants, inputs);
#else
  (void)variants, (void)inputs;
  return false;
#endif
}

at::Tensor faster_of(const LayerVariants& variants, const Tensors& inputs) {
  if (tries_ours(variants, inputs)) {
    if (at::Tensor y = variants.ours(inputs); y.defined()) return y;
  }
  return variants.theirs(inputs);
}

bool separate_bias(const at::Tensor& x) {
#ifdef TACHO_CUDA
  return x.is_cuda() && !kernel_choice::torch_only();
#else
  (void)x;
  return false;
#endif
}

}  // namespace tacho::layers
