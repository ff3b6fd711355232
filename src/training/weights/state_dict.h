#pragma once

#include <vector>

#include "base/result.h"
#include "training/weights/stored_tensor.h"

namespace tacho {

// True if the file is a zip archive or a bare pickle, as torch.save writes; decided by content,
// because people name these files .pt, .pth and .bin.
Result<bool> is_torch_file(const InputFile& file);

// Lists the tensors of a state dict that torch.save wrote, torch 1.6 or later, or of a checkpoint
// with an entry "state_dict", "model_state_dict" or "model". Executes nothing. Views, sizes and
// offsets are checked against the file.
Result<std::vector<StoredTensor>> read_state_dict(const InputFile& file);

}  // namespace tacho
