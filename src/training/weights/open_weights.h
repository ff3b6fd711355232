#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "training/weights/stored_tensor.h"

namespace tacho {

// The tensors of a safetensors file, and its metadata if wanted. Strict about the header.
Result<std::vector<StoredTensor>> read_safetensors_index(
    const InputFile& file, std::map<std::string, std::string>* metadata = nullptr);

// Opens a safetensors file or a state dict of torch.
Result<WeightsFile> open_weights_file(const std::filesystem::path& path);

// Opens weights as people have them: one file, or a folder with model.safetensors,
// pytorch_model.bin, the shards of either with their index, or a single file of weights. No tensor
// is in two of the files.
Result<std::vector<WeightsFile>> open_weights(const std::filesystem::path& file_or_folder);

}  // namespace tacho
