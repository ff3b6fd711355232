#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "tracefile/gpu_trace.h"

namespace tacho {

// A trace whose end is missing or damaged is read up to its last whole chunk. What is not a trace,
// or what a later version wrote, is an error. Takes any bytes: memory stays in proportion to them.
// The file lies below `folder`, and is opened as a run's files are (base/confined_file.h).
Result<GpuTrace> read_gpu_trace(const std::filesystem::path& folder,
                                const std::filesystem::path& file);
Result<GpuTrace> decode_gpu_trace(std::string_view bytes);

}  // namespace tacho
