#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "training/train/torch_api.h"
#include "training/weights/stored_tensor.h"

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

// Reads weights of any precision into the model, one tensor at a time: files that open_weights()
// opened, or what it opens. An exact match refuses files that do not fit the model, names what is
// missing, unexpected or of another shape, and changes nothing; only heads of Hugging Face's
// pretraining may be left over. A partial match loads what fits and refuses only files of which
// nothing fits. Word embeddings of another vocabulary are refused by both.
Result<LoadedWeights> load_weights(torch::nn::Module& model, std::span<const WeightsFile> files,
                                   const std::filesystem::path& path, WeightsMatch match);
Result<LoadedWeights> load_weights(torch::nn::Module& model,
                                   const std::filesystem::path& file_or_folder,
                                   WeightsMatch match = WeightsMatch::exact);

// Reads a checkpoint of a run, whose folder is not trusted: links are not followed.
Result<void> load_checkpoint(torch::nn::Module& model, const std::filesystem::path& checkpoint);

Result<void> save_weights(const torch::nn::Module& model, const std::filesystem::path& file);

// "a, b, c, d, e and 7 more"
std::string first_few(const std::vector<std::string>& names);

}  // namespace tacho
