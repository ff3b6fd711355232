#pragma once

#include <cstdint>

#include "training/train/torch_api.h"

namespace tacho {

// A linear layer to which an adapter (LoRA) can be added: scale·B·(A·x) beside its product, with
// peft's names. A, rank×inputs, is drawn like a torch::nn::Linear; B, outputs×rank, is 0 at first.
class Adaptable {
 public:
  virtual ~Adaptable() = default;

  void add_adapter(std::int64_t rank, double scale);
  // Adds the adapter, if there is one, to the layer's weight and removes it.
  void merge_adapter();

 protected:
  // Returns the product of `x`, with what the adapter adds.
  at::Tensor adapted(const at::Tensor& x, const at::Tensor& product);

 private:
  virtual torch::nn::Module& module() = 0;
  // The layer's weight as a view, outputs×inputs.
  virtual at::Tensor matrix() = 0;

  torch::nn::Linear a_{nullptr};
  torch::nn::Linear b_{nullptr};
  double scale_ = 0;
};

}  // namespace tacho
