#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "base/home.h"
#include "machine/probe/host_probe.h"
#include "programs/worker/commands.h"
#include "training/train/cpu_paths.h"
#include "training/train/serving/text_generator.h"
#include "training/train/torch_facts.h"

namespace tacho {
namespace {

Result<ComputePaths> paths_for(const GenerateRequest& request) {
  if (request.device == Device::cuda && cuda_device_count() == 0) {
    return Error{ErrorCode::unavailable,
                 "torch sees no CUDA device; build with the cuda preset on a machine with a GPU, "
                 "or use --device cpu"};
  }
  const Host host = read_host();
  CpuRequest cpu{.threads = host.cores, .device = request.device, .cpu = host.cpu};
  if (const auto home = tacho_home(); home.ok()) {
    cpu.cache_file = *home / "cache" / "cpu-paths.json";
  }
  tune_process();
  return choose_cpu_paths(cpu);
}

Result<void> generate(const RunFolder& folder, std::string_view text) {
  TACHO_TRY(json, parse_json(text).in("request"));
  TACHO_TRY(request, generate_request_from_json(json));
  TACHO_CHECK(check(request));
  TACHO_TRY(paths, paths_for(request));
  TACHO_TRY(generator, TextGenerator::load(folder, request.checkpoint, request.device, paths));
  std::string all;
  const auto take = [&](std::string_view piece) {
    if (request.json) {
      all += piece;
      return true;
    }
    fmt::print("{}", piece);
    return std::fflush(stdout) == 0;  // the reader may be gone
  };
  if (!request.json) take(request.prompt);
  const auto began = std::chrono::steady_clock::now();
  TACHO_TRY(tokens, generator.generate(request, take));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (!request.json) {
    take("\n");
    return {};
  }
  const Json answer = {{"prompt", request.prompt},
                       {"text", all},
                       {"tokens", tokens},
                       {"seconds", seconds},
                       {"tokens_per_s", static_cast<double>(tokens) / seconds}};
  fmt::print("{}\n", json_text(answer, 1));
  return {};
}

}  // namespace

int generate_from(const std::filesystem::path& folder, std::string_view request) {
  const auto done = generate(RunFolder(folder), request);
  if (done.ok()) return 0;
  fmt::print(stderr, "tacho: {}\n", done.error().message);
  return done.error().code == ErrorCode::failed ? 1 : kCannotStart;
}

}  // namespace tacho
