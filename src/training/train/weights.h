#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "training/train/torch_api.h"

namespace tacho {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// Parameters, then buffers (a batch norm's running statistics), with the names used by torchvision
// and Hugging Face.
NamedTensors model_state(const torch::nn::Module& model);

enum class WeightsMatch { exact, partial };

// Tensors that a partial match did not load.
struct LoadedWeights {
  std::vector<std::string> as_drawn;  // missing in the file or of another shape
  std::vector<std::string> unused;    // in the file but not in the model
};

// Reads a safetensors file of fp32, fp16 or bf16 weights, or a checkpoint of Tacho, into the model.
// An exact match refuses a file that does not fit the model, names what is missing, unexpected or
// of another shape, and changes nothing. A partial match loads what fits and refuses only a file of
// which nothing fits.
Result<LoadedWeights> load_weights(torch::nn::Module& model, const std::filesystem::path& file,
                                   WeightsMatch match = WeightsMatch::exact);

Result<void> save_weights(const torch::nn::Module& model, const std::filesystem::path& file);

// "a, b, c, d, e and 7 more"
std::string first_few(const std::vector<std::string>& names);

}  // namespace tacho
