#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>

#include "training/kernels/launch.cuh"

namespace tacho::kernels {
namespace {

// Returns the name with template arguments and parameter types.
std::string name_of(const void* kernel) {
#if CUDART_VERSION >= 12030
  const char* mangled = nullptr;
  if (cudaFuncGetName(&mangled, kernel) == cudaSuccess) {
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(mangled, nullptr, nullptr, nullptr), &std::free);
    return name ? name.get() : mangled;
  }
#endif
  return "a kernel";
}

[[noreturn]] void fail(const std::string& what, cudaError_t error) {
  cudaGetLastError();  // The error is thrown, so the next check must not report it again.
  throw std::runtime_error(what + ": " + cudaGetErrorString(error));
}

}  // namespace

void launch_untyped(const void* kernel, const LaunchConfig& config, void** arguments) {
  auto attribute = config.attribute.value_or(cudaLaunchAttribute{});
  cudaLaunchConfig_t all{};
  all.gridDim = config.grid;
  all.blockDim = config.block;
  all.dynamicSmemBytes = config.shared_bytes;
  all.stream = config.stream;
  all.attrs = &attribute;
  all.numAttrs = config.attribute ? 1 : 0;
  const cudaError_t refused = cudaLaunchKernelExC(&all, kernel, arguments);
  if (refused != cudaSuccess) fail("cannot launch " + name_of(kernel), refused);
#ifndef NDEBUG
  auto capture = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(config.stream, &capture) != cudaSuccess) return;
  if (capture != cudaStreamCaptureStatusNone) return;
  const std::string name = name_of(kernel);  // before the wait: after an error CUDA may not answer
  const cudaError_t error = cudaStreamSynchronize(config.stream);
  if (error != cudaSuccess) fail(name, error);
#endif
}

std::optional<cudaLaunchAttribute> dependent_launch(bool wanted) {
  int device = 0;
  int major = 0;
  if (!wanted) return std::nullopt;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  if (major < 9) return std::nullopt;
  cudaLaunchAttribute dependent{};
  dependent.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  dependent.val.programmaticStreamSerializationAllowed = 1;
  return dependent;
}

}  // namespace tacho::kernels
