#include "lab/gpu_tracing.h"

#include <unistd.h>

#include <cstdlib>

#include "base/file.h"
#include "base/home.h"

namespace tacho {
namespace {

constexpr const char* kCudaLoads = "CUDA_INJECTION64_PATH";
constexpr const char* kNvtxLoads = "NVTX_INJECTION64_PATH";

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

GpuTracing prepare_gpu_tracing(const RunFolder& folder) {
  const std::filesystem::path library = program_folder() / "libtacho_inject.so";
  if (::access(library.c_str(), R_OK) != 0) {
    return {{}, "GPUs are not traced: " + library.string() + " is missing; build it again"};
  }
  if (is_set(kCudaLoads)) {
    return {{},
            std::string("GPUs are not traced: ") + kCudaLoads +
                " is set already, by another profiler; unset it"};
  }
  if (const auto made = make_folders(folder.gpu_traces()); !made.ok()) {
    return {{}, "GPUs are not traced: " + made.error().message};
  }
  GpuTracing tracing{
      {{kCudaLoads, library.string()}, {"TACHO_TRACE_FOLDER", folder.gpu_traces().string()}}, ""};
  if (!is_set(kNvtxLoads)) tracing.environment[kNvtxLoads] = library.string();
  return tracing;
}

}  // namespace tacho
