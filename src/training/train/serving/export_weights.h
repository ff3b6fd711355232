#pragma once

#include <filesystem>

#include "base/result.h"
#include "core/record/run_folder.h"
#include "core/record/run_spec.h"

namespace tacho {

// Writes the weights of a run's checkpoint as a safetensors file with the names of Hugging Face and
// torchvision. Adapters are merged.
Result<void> export_weights(const RunFolder& run, CheckpointKind checkpoint,
                            const std::filesystem::path& file);

}  // namespace tacho
