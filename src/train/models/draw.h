#pragma once

#include "train/torch_api.h"

namespace tacho::draw {

// Fresh weights as the published training recipes draw them, over every layer of that kind inside
// `model`. What is not named keeps torch's own drawing.

enum class Fan { in, out };
// Normal with variance 2/fan; biases 0.
void convolutions(torch::nn::Module& model, Fan fan);
void linears(torch::nn::Module& model, double deviation);            // normal, biases 0
void truncated_linears(torch::nn::Module& model, double deviation);  // within ±2, biases 0
void embeddings(torch::nn::Module& model, double deviation);         // normal, padding row 0

void truncated_normal(at::Tensor& tensor, double deviation);

}  // namespace tacho::draw
