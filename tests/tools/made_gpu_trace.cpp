// Simulates a training program and writes its GPU trace:
//
//     made_gpu_trace FILE starved|sync|tiny|healthy [KERNELS]
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tracing/trace/test_trace.h"
#include "tracing/tracefile/gpu_trace_encoder.h"

namespace tacho {
namespace {

constexpr int kLayers = 12;
constexpr int kKernelsPerStep = 4 * kLayers + 1;
constexpr int kUsualKernels = 60 * kKernelsPerStep;

struct Scenario {
  std::int64_t loading_ns = 0;  // before each step
  std::int64_t pause_ns = 0;    // after the blocking call at its end
  std::int64_t kernel_ns = 0;   // per layer
  std::int64_t host_ns = 0;     // between launches
  std::uint32_t blocks = 2000;
};

GpuTrace simulate(const Scenario& p, int steps) {
  TestProgram program;
  program.raw().gpus.front().name = "NVIDIA H200";
  program.shape = program.new_shape(p.blocks);
  for (int step = 0; step < steps; ++step) {
    program.sleep(p.loading_ns);
    program.copy(CopyKind::host_to_device, 3 << 20, 200 * kUs, true);
    for (int layer = 0; layer < kLayers; ++layer) {
      program.sleep(p.host_ns);
      program.kernel("sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_nhwc", p.kernel_ns);
      program.kernel("void at::native::vectorized_elementwise_kernel<4, relu>(int)", 5 * kUs);
    }
    for (int layer = 0; layer < kLayers; ++layer) {
      program.sleep(p.host_ns);
      program.kernel("sm90_xmma_dgrad_implicit_gemm_bf16bf16_bf16f32_nhwc", p.kernel_ns);
      program.kernel("sm90_xmma_wgrad_implicit_gemm_bf16bf16_bf16f32_nhwc", p.kernel_ns);
    }
    program.kernel("void at::native::multi_tensor_apply_kernel<FusedSgd>(int)", 30 * kUs);
    if (p.pause_ns > 0) {
      program.copy(CopyKind::device_to_host, 4, 2 * kUs);
      program.wait();
      program.sleep(p.pause_ns);
    }
  }
  return program.trace();
}

std::string encoded(const GpuTrace& trace) {
  GpuTraceEncoder encoder({trace.process, trace.program, 26, 13000, trace.to_unix_ns});
  std::vector<std::uint32_t> names;
  for (const std::string& name : trace.names) names.push_back(encoder.name(name));
  std::vector<std::uint32_t> shapes;
  for (const LaunchShape& shape : trace.shapes) shapes.push_back(encoder.shape(shape));
  for (const TracedGpu& gpu : trace.gpus) encoder.add(gpu);
  // In chunks, as a traced program writes them.
  std::string bytes = GpuTraceEncoder::header();
  std::size_t records = 0;
  const auto added = [&] {
    if (++records % 10'000 == 0) bytes += encoder.take_chunk();
  };
  for (CallRecord call : trace.calls) {
    call.name = names[call.name];
    encoder.add(call);
    added();
  }
  for (KernelRecord kernel : trace.kernels) {
    kernel.name = names[kernel.name];
    kernel.shape = shapes[kernel.shape];
    encoder.add(kernel);
    added();
  }
  for (const CopyRecord& copy : trace.copies) encoder.add(copy);
  encoder.add_end();
  return bytes + encoder.take_chunk();
}

int write(const char* path, std::string_view kind, int kernels) {
  static const std::unordered_map<std::string_view, Scenario> kScenarios = {
      {"starved", {.loading_ns = 30 * kMs, .kernel_ns = 100 * kUs}},
      {"sync", {.pause_ns = 4 * kMs, .kernel_ns = 250 * kUs}},
      {"tiny", {.kernel_ns = 3 * kUs, .host_ns = 15 * kUs, .blocks = 40}},
      {"healthy", {.kernel_ns = 250 * kUs}}};
  const auto found = kScenarios.find(kind);
  std::FILE* file = found == kScenarios.end() ? nullptr : std::fopen(path, "wb");
  if (file == nullptr) {
    std::fprintf(stderr, "made_gpu_trace FILE starved|sync|tiny|healthy [KERNELS]\n");
    return 2;
  }
  const std::string bytes = encoded(simulate(found->second, kernels / kKernelsPerStep));
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && written ? 0 : 1;
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  const bool fits = argc == 3 || argc == 4;
  return tacho::write(fits ? argv[1] : "", fits ? argv[2] : "",
                      argc == 4 ? std::atoi(argv[3]) : tacho::kUsualKernels);
}
