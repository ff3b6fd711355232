#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "training/train/torch_api.h"
#include "training/weights/stored_tensor.h"

namespace tacho {

// Named tensors and free-form metadata in the safetensors format, compatible with Python's
// `safetensors`.
struct TensorFile {
  std::vector<std::pair<std::string, at::Tensor>> tensors;
  std::map<std::string, std::string> metadata;

  [[nodiscard]] const at::Tensor* find(const std::string& name) const;
};

// Atomic: a kill at any moment leaves the old file or the new one.
Result<void> write_safetensors(const std::filesystem::path& path, const TensorFile& content);

// Strict about the header: sizes, offsets and types must fit the file.
Result<TensorFile> read_safetensors(const std::filesystem::path& path);

at::ScalarType scalar_type(const StoredTensor& stored);
// Reads one tensor by its strides. A view shares the memory of the elements between its own ones.
Result<at::Tensor> read_tensor(const InputFile& file, const StoredTensor& stored);

}  // namespace tacho
