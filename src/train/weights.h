#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "train/torch_api.h"

namespace tacho {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// Parameters, then buffers (a batch norm's running statistics), by the names torchvision and
// Hugging Face give them.
NamedTensors model_state(const torch::nn::Module& model);

enum class WeightsMatch { exact, partial };

// What a partial match left over.
struct LoadedWeights {
  std::vector<std::string> as_drawn;  // the model's that the file lacks or has in another shape
  std::vector<std::string> unused;    // the file's that the model has no place for
};

// Reads a safetensors file of fp32, fp16 or bf16 weights, or a checkpoint of Tacho's, into the
// model. An exact match refuses a file that is not the model's, naming what is missing, too much or
// of another shape, and then changes nothing. A partial one takes what fits, and refuses only a
// file of which nothing does.
Result<LoadedWeights> load_weights(torch::nn::Module& model, const std::filesystem::path& file,
                                   WeightsMatch match = WeightsMatch::exact);

Result<void> save_weights(const torch::nn::Module& model, const std::filesystem::path& file);

// "a, b, c, d, e and 7 more"
std::string first_few(const std::vector<std::string>& names);

}  // namespace tacho
