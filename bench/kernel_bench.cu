// Times the fused training kernels at ResNet-50's and DistilBERT's shapes. Shows the necessary bytes, the time, and the
// share of the rate of two copies within the device's memory in the same run: one of 1 GiB, and one that moves as many
// bytes as the kernel. A kernel of a few µs cannot reach the rate of the first: memory is not busy at its start and end.
// Both variants of a batch norm are timed (norm_variants.h). 'same' counts the bytes of the variant that holds nothing,
// 'once' those of a norm that reads nothing twice; 'limit' is a kernel with the same reads and writes and no arithmetic.
//   nvcc -std=c++20 -O3 -DNDEBUG -arch=native --extended-lambda -Isrc bench/kernel_bench.cu src/training/kernels/*.cu -o kernel_bench
//   ./kernel_bench [BATCH]
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "training/kernels/kernels.h"
#include "norm_limit.cuh"

namespace {

using namespace tacho::kernels;

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "kernel_bench: %s\n", cudaGetErrorString(code));
  std::exit(1);
}

class Memory {
 public:
  explicit Memory(size_t bytes) {
    check(cudaMalloc(&at_, bytes));
    check(cudaMemset(at_, 0x3c, bytes));  // small positive numbers in every type
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { cudaFree(at_); }
  template <class T = void>
  T* as() const {
    return static_cast<T*>(at_);
  }

 private:
  void* at_ = nullptr;
};

constexpr int kRounds = 21;
// Returns medians over the rounds, in seconds, alternating between all of them. Fills the L2 cache
// with other data before each, as the other kernels of a training step do.
std::vector<double> seconds_in_turn(const std::vector<std::function<void()>>& all) {
  static const Memory other(256 << 20);
  cudaEvent_t begin;
  cudaEvent_t end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<std::vector<float>> times(all.size());
  for (int round = 0; round < kRounds + 2; ++round) {
    for (size_t i = 0; i < all.size(); ++i) {
      check(cudaMemsetAsync(other.as(), round, 256 << 20));
      check(cudaEventRecord(begin));
      all[i]();
      check(cudaEventRecord(end));
      check(cudaEventSynchronize(end));
      float ms = 0;
      check(cudaEventElapsedTime(&ms, begin, end));
      if (round >= 2) times[i].push_back(ms);
    }
  }
  check(cudaGetLastError());
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  std::vector<double> medians;
  for (auto& own : times) {
    std::nth_element(own.begin(), own.begin() + kRounds / 2, own.end());
    medians.push_back(own[kRounds / 2] * 1e-3);
  }
  return medians;
}

double seconds_of(const std::function<void()>& work) { return seconds_in_turn({work})[0]; }

__global__ void copy_packs(const uint4* __restrict__ from, uint4* __restrict__ to, size_t packs) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < packs) to[i] = from[i];
}

// Reference rates for a kernel, in bytes per second.
class Ceiling {
 public:
  Ceiling() : from_(kBytes), to_(kBytes) {
    large_ = 2.0 * kBytes / seconds_of([&] {
      check(cudaMemcpyAsync(to_.as(), from_.as(), kBytes, cudaMemcpyDeviceToDevice));
    });
  }
  double large() const { return large_; }
  // Returns the rate of the faster of two plain copies that read and write `bytes` in total, in one
  // launch.
  double of_same_size(double bytes) const {
    const size_t packs = std::min(static_cast<size_t>(bytes / 2), kBytes) / sizeof(uint4);
    const double by_driver = seconds_of([&] {
      check(cudaMemcpyAsync(to_.as(), from_.as(), packs * sizeof(uint4), cudaMemcpyDeviceToDevice));
    });
    const double by_kernel = seconds_of([&] {
      constexpr int kThreads = 256;
      copy_packs<<<static_cast<unsigned>((packs + kThreads - 1) / kThreads), kThreads>>>(
          from_.as<uint4>(), to_.as<uint4>(), packs);
    });
    return 2.0 * packs * sizeof(uint4) / std::min(by_driver, by_kernel);
  }

 private:
  static constexpr size_t kBytes = size_t{1} << 30;
  Memory from_;
  Memory to_;
  double large_ = 0;
};

struct Share {
  Share(double bytes, double seconds, const Ceiling& ceiling)
      : of_large(bytes / seconds / ceiling.large()), of_same(bytes / seconds / ceiling.of_same_size(bytes)) {}
  double of_large;
  double of_same;
};

struct Layer {
  const char* name;
  int64_t pixels;  // per image
  int64_t channels;
  int times;  // in a ResNet-50
  bool residual;
  bool relu;
};

constexpr Layer kLayers[] = {
    {"stem", 112 * 112, 64, 1, false, true},     {"56² 64", 56 * 56, 64, 6, false, true},
    {"56² 256 +", 56 * 56, 256, 3, true, true},  {"56² 256 plain", 56 * 56, 256, 1, false, false},
    {"56² 128", 56 * 56, 128, 1, false, true},   {"28² 128", 28 * 28, 128, 7, false, true},
    {"28² 512 +", 28 * 28, 512, 4, true, true},  {"28² 512 plain", 28 * 28, 512, 1, false, false},
    {"28² 256", 28 * 28, 256, 1, false, true},   {"14² 256", 14 * 14, 256, 11, false, true},
    {"14² 1024 +", 14 * 14, 1024, 6, true, true}, {"14² 1024 plain", 14 * 14, 1024, 1, false, false},
    {"14² 512", 14 * 14, 512, 1, false, true},   {"7² 512", 7 * 7, 512, 5, false, true},
    {"7² 2048 +", 7 * 7, 2048, 3, true, true},   {"7² 2048 plain", 7 * 7, 2048, 1, false, false},
};

struct Buffers {
  explicit Buffers(size_t numbers, int64_t channels, int64_t workspace)
      : x(2 * numbers), other(2 * numbers), more(2 * numbers), out(2 * numbers), out2(2 * numbers),
        passed(numbers / 8), channel(8 * channels * sizeof(float)), sums(workspace * sizeof(float)) {}
  Memory x, other, more, out, out2, passed, channel, sums;
};

// One pass of a layer's norm. Three kernels read x twice, and dy; one kernel reads only the rows
// twice that it does not hold.
struct NormPass {
  const char* name;
  Pass pass;
  double bytes;       // of three kernels
  double bytes_once;  // if all rows are held
  std::function<void()> three;
  std::function<void(const HeldPlan&)> one;
};

struct NormTotals {
  double seconds = 0;
  double bytes = 0;
  double copies = 0;  // seconds of copies of the same sizes
};

void bench_norm_pass(const Layer& layer, const Rows& shape, const NormPass& way, const NormLimit& limit,
                     const Ceiling& ceiling, NormTotals& all) {
  const auto plan = held_plan(shape, way.pass);
  const bool chosen = choose_held_plan(shape, way.pass, layer.residual).has_value();
  const auto one_kernel = [&] { plan ? way.one(*plan) : way.three(); };
  const auto both = seconds_in_turn({way.three, one_kernel});
  const double three = both[0];
  const double one = both[1];
  const double seconds = chosen ? one : three;
  const Share share(way.bytes, seconds, ceiling);
  all.seconds += layer.times * seconds;
  all.bytes += layer.times * way.bytes;
  all.copies += layer.times * seconds * share.of_same;
  std::printf("%-15s %2d %-5s %7.1f MB %7.1f %7.1f %-5s %6.2f %6.2f", layer.name, layer.times, way.name,
              way.bytes * 1e-6, three * 1e6, one * 1e6, chosen ? "one" : "three", share.of_large, share.of_same);
  if (chosen) std::printf(" %6.2f", Share(way.bytes_once, seconds, ceiling).of_same);
  // The limit applies only to held rows without further inputs.
  if (chosen && holds_all(*plan) && !layer.residual) {
    std::printf(" %6.2f", seconds_of([&] { launch_limit(limit, way.pass, *plan); }) / seconds);
  }
  std::printf("\n");
}

void bench_batch_norm(int64_t batch, const Ceiling& ceiling) {
  NormTotals all;
  std::printf("%-15s %2s %-5s %10s %7s %7s %-5s %6s %6s %6s %6s\n", "batch norm", "×", "", "bytes", "three µs", "one µs",
              "taken", "share", "same", "once", "limit");
  for (const Layer& layer : kLayers) {
    const Rows shape{batch * layer.pixels, layer.channels, DataType::bf16};
    const auto numbers = static_cast<size_t>(shape.rows * shape.channels);
    const Buffers b(numbers, shape.channels, column_workspace(shape) + 3 * shape.channels);
    auto* c = b.channel.as<float>();
    const int64_t n = shape.channels;
    const bool fused = layer.residual && layer.relu;
    const BatchNormForward forward{.shape = shape, .x = b.x.as(), .residual = layer.residual ? b.other.as() : nullptr,
                                   .y = b.out.as(), .passed = fused ? b.passed.as<uint8_t>() : nullptr, .gamma = c,
                                   .beta = c + n, .running_mean = c + 2 * n, .running_var = c + 3 * n, .momentum = 0.1F,
                                   .epsilon = 1e-5F, .relu = layer.relu, .mean = c + 4 * n, .rstd = c + 5 * n,
                                   .workspace = b.sums.as<float>()};
    const BatchNormBackward backward{.shape = shape, .dy = b.other.as(), .dy_more = layer.residual ? b.more.as() : nullptr,
                                     .x = b.x.as(), .passed = forward.passed, .dx = b.out.as(),
                                     .dresidual = layer.residual ? b.out2.as() : nullptr, .gamma = c, .beta = c + n,
                                     .mean = c + 4 * n, .rstd = c + 5 * n, .relu = layer.relu, .dgamma = c + 6 * n,
                                     .dbeta = c + 7 * n, .workspace = b.sums.as<float>()};
    const NormLimit limit{shape, {b.x.as<__nv_bfloat16>(), b.other.as<__nv_bfloat16>()}, b.out.as<__nv_bfloat16>()};
    const double pass = 2.0 * static_cast<double>(numbers);
    // A residual and the bits; of two gradients the second is read and their sum stored.
    const double extra = layer.residual ? 1 + 1.0 / 16 : 0;
    const double extra_backward = layer.residual ? 2 + 1.0 / 16 : 0;
    bench_norm_pass(layer, shape,
                    {"fwd", Pass::forward, pass * (3 + extra), pass * (2 + extra),
                     [&] { three_kernels_forward(forward, nullptr); },
                     [&](const HeldPlan& plan) { held_norm_forward(forward, plan, nullptr); }},
                    limit, ceiling, all);
    bench_norm_pass(layer, shape,
                    {"bwd", Pass::backward, pass * (5 + extra_backward), pass * (3 + extra_backward),
                     [&] { three_kernels_backward(backward, nullptr); },
                     [&](const HeldPlan& plan) { held_norm_backward(backward, plan, nullptr); }},
                    limit, ceiling, all);
  }
  std::printf("a step of ResNet-50, batch %lld: %.2f ms of batch norm, %.2f of the large copy's rate, %.2f of copies of"
              " the same sizes\n",
              static_cast<long long>(batch), all.seconds * 1e3, all.bytes / all.seconds / ceiling.large(),
              all.copies / all.seconds);
}

void print_line(const char* name, double bytes, double seconds, const Ceiling& ceiling) {
  const Share share(bytes, seconds, ceiling);
  std::printf("%-26s %7.1f MB %7.1f µs %6.0f GB/s %6.2f %6.2f\n", name, bytes * 1e-6, seconds * 1e6,
              bytes / seconds * 1e-9, share.of_large, share.of_same);
}

void bench_pool(int64_t batch, const Ceiling& ceiling) {
  const Pool pool{batch, 112, 112, 64, 56, 56, 3, 2, 1, DataType::bf16};
  const auto in = static_cast<size_t>(batch * 112 * 112 * 64);
  const Memory x(2 * in);
  const Memory y(in / 2);
  const Memory places(in / 4);
  const double bytes = 2.0 * static_cast<double>(in) + static_cast<double>(in) / 2 + static_cast<double>(in) / 4;
  const double forward = seconds_of([&] { max_pool_forward(pool, x.as(), y.as(), places.as<uint8_t>(), nullptr); });
  const double backward = seconds_of([&] { max_pool_backward(pool, y.as(), places.as<uint8_t>(), x.as(), nullptr); });
  print_line("max-pool", bytes, forward, ceiling);
  print_line("max-pool, backward", bytes, backward, ceiling);
}

// Reads as many packs and stores nothing: the limit of a kernel that writes almost nothing.
constexpr int kReadAhead = 4;
__global__ void read_packs(const uint4* __restrict__ from, size_t packs, unsigned* kept) {
  const size_t begin = static_cast<size_t>(blockIdx.x) * blockDim.x * kReadAhead + threadIdx.x;
  unsigned all = 0;
#pragma unroll
  for (int u = 0; u < kReadAhead; ++u) {
    const size_t i = begin + u * blockDim.x;
    const uint4 pack = i < packs ? from[i] : uint4{};
    all |= pack.x ^ pack.y ^ pack.z ^ pack.w;
  }
  if (all == 1) *kept = all;  // never true, which the compiler cannot know
}

void bench_global_pool(int64_t batch, const Ceiling& ceiling) {
  const GlobalPool pool{batch, 7 * 7, 2048, DataType::bf16};
  const auto out = static_cast<size_t>(batch * 2048);
  const Memory x(2 * 49 * out);
  const Memory y(2 * out);
  const double bytes = 2.0 * 50 * static_cast<double>(out);
  print_line("global pool", bytes, seconds_of([&] { global_pool_forward(pool, x.as(), y.as(), nullptr); }), ceiling);
  const size_t packs = 2 * 49 * out / sizeof(uint4);
  constexpr int kThreads = 256;
  constexpr int kPacksABlock = kReadAhead * kThreads;
  print_line("reading the same bytes", bytes, seconds_of([&] {
               read_packs<<<static_cast<unsigned>((packs + kPacksABlock - 1) / kPacksABlock), kThreads>>>(
                   x.as<uint4>(), packs, y.as<unsigned>());
             }), ceiling);
  print_line("global pool, backward", bytes, seconds_of([&] { global_pool_backward(pool, y.as(), x.as(), nullptr); }),
             ceiling);
}

// One parameter with as many numbers as the model has: weights, moments, gradient and 16-bit copy.
void bench_optimizer(const char* name, int64_t count, bool adam, const Ceiling& ceiling) {
  const auto n = static_cast<size_t>(count);
  const Memory weights(4 * n);
  const Memory first(4 * n);
  const Memory second(4 * n);
  const Memory gradient(2 * n);
  const Memory copy(2 * n);
  const Memory state(sizeof(StepState));
  const Parameter parameter{weights.as<float>(), copy.as(), gradient.as(), first.as<float>(),
                            adam ? second.as<float>() : nullptr, count};
  std::vector<Chunk> chunks;
  for (int64_t i = 0; i * kChunk < count; ++i) chunks.push_back({0, static_cast<int32_t>(i)});
  const Memory table(sizeof parameter);
  const Memory parts(chunks.size() * sizeof(Chunk));
  check(cudaMemcpy(table.as(), &parameter, sizeof parameter, cudaMemcpyHostToDevice));
  check(cudaMemcpy(parts.as(), chunks.data(), chunks.size() * sizeof(Chunk), cudaMemcpyHostToDevice));
  const OptimizerStep p{.parameters = table.as<Parameter>(), .chunks = parts.as<Chunk>(),
                        .chunk_count = static_cast<int64_t>(chunks.size()), .gradients = DataType::bf16,
                        .state = state.as<StepState>(), .squares = nullptr, .adam = adam, .decoupled = adam,
                        .nesterov = false, .momentum = 0.9F, .beta1 = 0.9F, .beta2 = 0.999F, .epsilon = 1e-8F,
                        .weight_decay = 0.01F, .clip_norm = 0, .scaled = false};
  print_line(name, static_cast<double>(count) * (adam ? 28 : 20), seconds_of([&] { step(p, nullptr); }), ceiling);
}

void bench_transformer(int64_t rows, const Ceiling& ceiling) {
  const Rows narrow{rows, 768, DataType::bf16};
  const Rows wide{rows, 3072, DataType::bf16};
  const auto pass = 2.0 * static_cast<double>(rows) * 768;
  const Buffers b(static_cast<size_t>(rows * 3072), 3072, column_workspace(wide) + add_norm_workspace(narrow));
  const Memory of_rows(static_cast<size_t>(rows) * 8);
  auto* mean = of_rows.as<float>();
  auto* rstd = mean + rows;
  auto* c = b.channel.as<char>();
  const AddNormForward forward{.shape = narrow, .x = b.x.as(), .bias = c, .residual = b.other.as(), .residual_rows = rows,
                               .gamma = c + 2048, .beta = c + 4096, .epsilon = 1e-5F, .dropout = 0.1F,
                               .mask = {nullptr, nullptr, 1, 2}, .sum = b.out.as(), .y = b.out2.as(), .mean = mean,
                               .rstd = rstd};
  const AddNormBackward backward{.shape = narrow, .dy = b.other.as(), .dsum = nullptr, .sum = b.x.as(),
                                 .gamma = c + 2048, .mean = mean, .rstd = rstd, .dropout = 0.1F,
                                 .mask = {nullptr, nullptr, 1, 2}, .dx = b.out.as(), .dresidual = b.out2.as(),
                                 .dbias = c + 6144, .dgamma = c + 8192, .dbeta = c + 10240,
                                 .workspace = b.sums.as<float>()};
  const BiasAct gelu{wide, Pointwise::gelu, 0, {}};
  print_line("dropout, add, layer norm", 4 * pass, seconds_of([&] { add_norm_forward(forward, nullptr); }), ceiling);
  print_line("…, back", 4 * pass, seconds_of([&] { add_norm_backward(backward, nullptr); }), ceiling);
  print_line("bias, GELU", 8 * pass, seconds_of([&] { bias_act_forward(gelu, b.x.as(), c, b.out.as(), nullptr); }), ceiling);
  print_line("…, back", 12 * pass, seconds_of([&] {
               bias_act_backward(gelu, b.other.as(), b.x.as(), c, b.out.as(), c + 6144, b.sums.as<float>(), nullptr);
             }), ceiling);
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t batch = argc > 1 ? std::atoll(argv[1]) : 256;
  const Ceiling ceiling;
  std::printf("copy of 1 GiB within the device's memory: %.0f GB/s. share: of it; same: of a copy that moves as many bytes\n",
              ceiling.large() * 1e-9);
  bench_batch_norm(batch, ceiling);
  std::printf("%-26s %10s %10s %11s %6s %6s\n", "others", "bytes", "time", "rate", "share", "same");
  bench_pool(batch, ceiling);
  bench_global_pool(batch, ceiling);
  bench_optimizer("SGD, ResNet-50's weights", 25'557'032, false, ceiling);
  bench_optimizer("AdamW, DistilBERT's", 66'955'010, true, ceiling);
  bench_transformer(64 * batch, ceiling);  // half a batch of sentences of 128
  return 0;
}
