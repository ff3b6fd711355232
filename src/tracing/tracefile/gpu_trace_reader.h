#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "tracing/tracefile/gpu_trace.h"

namespace tacho {

// Reads a trace whose end is missing or damaged up to its last complete chunk. Fails for other
// files and for newer versions. Accepts any bytes; memory use is proportional to their size. The
// file must be below `folder` and is opened like all files of a run (base/confined_file.h).
Result<GpuTrace> read_gpu_trace(const std::filesystem::path& folder,
                                const std::filesystem::path& file);
Result<GpuTrace> decode_gpu_trace(std::string_view bytes);

}  // namespace tacho
