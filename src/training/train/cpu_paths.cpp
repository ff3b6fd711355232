#include "training/train/cpu_paths.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>

#include "base/file.h"
#include "base/json_object.h"
#include "training/train/blas.h"
#include "training/train/guarded.h"
#include "training/train/torch_api.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Returns the fastest of several runs; the first one warms up and does not count. Slow work runs
// only once: noise does not matter for it.
double best_seconds(const std::function<void()>& work) {
  constexpr double kCheap = 0.02;
  seconds_of(work);
  double best = seconds_of(work);
  for (int i = 0; i < 4 && best < kCheap; ++i) best = std::min(best, seconds_of(work));
  return best;
}

void convolve() {
  const at::Tensor input = at::ones({8, 32, 26, 26}).set_requires_grad(true);
  const at::Tensor weight = at::ones({64, 32, 3, 3}).set_requires_grad(true);
  at::conv2d(input, weight).sum().backward();
}

void multiply() {
  const at::Tensor input = at::ones({64, 512}).set_requires_grad(true);
  const at::Tensor weight = at::ones({512, 512}).set_requires_grad(true);
  at::linear(input, weight).sum().backward();
}

void recur() {
  torch::nn::LSTM lstm(128, 128);
  std::get<0>(lstm->forward(at::ones({8, 32, 128}))).sum().backward();
}

// Returns whether `work` is faster with oneDNN. Alternates both, so that a busy moment of the
// machine affects both; a tie keeps torch's default, which is on.
bool faster_with_mkldnn(const std::function<void()>& work) {
  if (!at::hasMKLDNN()) return false;
  constexpr int kRounds = 2;
  std::array<double, 2> best = {HUGE_VAL, HUGE_VAL};  // off, on
  for (int round = 0; round < kRounds; ++round) {
    for (const bool on : {true, false}) {
      torch_api::enable_mkldnn(on);
      best[on ? 1 : 0] = std::min(best[on ? 1 : 0], best_seconds(work));
    }
  }
  torch_api::enable_mkldnn(true);
  return best[1] <= best[0] * 1.05;
}

double measure_product_gflops() {
  constexpr std::int64_t kSide = 512;
  const at::Tensor a = at::ones({kSide, kSide});
  const at::Tensor b = at::ones({kSide, kSide});
  at::Tensor c = at::empty({kSide, kSide});
  const double seconds = best_seconds([&] { at::mm_out(c, a, b); });
  return 2.0 * kSide * kSide * kSide / seconds * 1e-9;
}

ComputePaths probe_paths() {
  // Initialising an LSTM's weights must not advance the run's random state.
  auto generator = torch_api::default_generator(at::kCPU);
  const at::Tensor state = generator.get_state();
  ComputePaths paths;
  paths.mkldnn_convolution = faster_with_mkldnn(convolve);
  paths.mkldnn_product = faster_with_mkldnn(multiply);
  paths.mkldnn_recurrent = faster_with_mkldnn(recur);
  paths.why = "probed";
  generator.set_state(state);
  return paths;
}

std::string cache_key(const CpuRequest& request, const std::string& blas) {
  return fmt::format("{} | torch {} | {} | {} threads", request.cpu, torch_api::version(), blas,
                     request.threads);
}

// An unreadable cache counts as empty.
Json read_cache(const std::filesystem::path& file) {
  const auto text = read_file(file, Bytes{1 << 20});
  if (!text.ok()) return Json::object();
  const auto json = parse_json(*text);
  return json.ok() && json->is_object() ? *json : Json::object();
}

std::optional<ComputePaths> cached_paths(const Json& cache, const std::string& key) {
  const auto at = cache.find(key);
  if (at == cache.end()) return std::nullopt;
  ComputePaths paths;
  JsonObject object(*at, "paths");
  object.read("mkldnn_convolution", paths.mkldnn_convolution);
  object.read("mkldnn_product", paths.mkldnn_product);
  object.read("mkldnn_recurrent", paths.mkldnn_recurrent);
  if (!object.finish().ok()) return std::nullopt;
  paths.why = "cached";
  return paths;
}

ComputePaths probed_or_cached(const CpuRequest& request, const std::string& blas) {
  if (request.cache_file.empty()) return probe_paths();
  Json cache = read_cache(request.cache_file);
  const std::string key = cache_key(request, blas);
  if (auto known = cached_paths(cache, key)) return *known;
  const ComputePaths paths = probe_paths();
  cache[key] = {{"mkldnn_convolution", paths.mkldnn_convolution},
                {"mkldnn_product", paths.mkldnn_product},
                {"mkldnn_recurrent", paths.mkldnn_recurrent}};
  // Best effort: without a cache the next run probes again.
  if (make_folders(request.cache_file.parent_path()).ok()) {
    (void)write_file_atomically(request.cache_file, json_text(cache, 1)).ok();
  }
  return paths;
}

Result<ComputePaths> choose(const CpuRequest& request) {
  const Blas blas = loaded_blas();
  ComputePaths paths;
  if (request.stock) {
    if (request.threads > 0) at::set_num_threads(static_cast<int>(request.threads));
    const bool on = torch_api::mkldnn_enabled();
    paths = {.mkldnn_convolution = on,
             .mkldnn_product = on,
             .mkldnn_recurrent = on,
             .allocator = "stock",
             .why = "stock"};
  } else {
    if (request.device == Device::cpu) TACHO_CHECK(refuse_slow(blas));
    at::set_num_threads(static_cast<int>(request.threads));
    paths = probed_or_cached(request, blas.name);
    if (request.mkldnn != Switch::automatic) {
      const bool on = request.mkldnn == Switch::on;
      paths.mkldnn_convolution = paths.mkldnn_product = paths.mkldnn_recurrent = on;
      paths.why = "forced";
    }
    paths.allocator = "kept";
  }
  paths.threads = at::get_num_threads();
  paths.blas = blas.name;
  paths.product_gflops = measure_product_gflops();
  return paths;
}

}  // namespace

void tune_process() {
  at::globalContext().setFlushDenormal(true);
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, -1);
  ::mallopt(M_TOP_PAD, 64 << 20);
}

Result<ComputePaths> choose_cpu_paths(const CpuRequest& request) {
  return guarded([&] { return choose(request); });
}

void take_path(const ComputePaths& paths, Workload workload) {
  switch (workload) {
    case Workload::convolution:
      return torch_api::enable_mkldnn(paths.mkldnn_convolution);
    case Workload::product:
      return torch_api::enable_mkldnn(paths.mkldnn_product);
    case Workload::recurrent:
      return torch_api::enable_mkldnn(paths.mkldnn_recurrent);
  }
}

}  // namespace tacho
