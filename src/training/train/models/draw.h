#pragma once

#include "training/train/torch_api.h"

namespace tacho::draw {

// Initialises weights like the published training recipes, for every layer of that kind in `model`.
// All others keep torch's initialisation.

enum class Fan { in, out };
// Normal with variance 2/fan; biases 0.
void convolutions(torch::nn::Module& model, Fan fan);
void linears(torch::nn::Module& model, double deviation);            // normal, biases 0
void truncated_linears(torch::nn::Module& model, double deviation);  // within ±2, biases 0
void embeddings(torch::nn::Module& model, double deviation);         // normal, padding row 0

void truncated_normal(at::Tensor& tensor, double deviation);

}  // namespace tacho::draw
