#include <algorithm>
#include <memory>
#include <stdexcept>

#include "programs/gpubench/case.cuh"
#include "programs/gpubench/survey.h"

namespace tacho::gpubench {
namespace {

__global__ void fill(float* a, float* b, int64_t count) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  a[i] = value_of_a(i);
  b[i] = value_of_b(i);
}

struct Freed {
  void operator()(void* at) const { cudaFree(at); }
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};
using Memory = std::unique_ptr<void, Freed>;

Memory taken(int64_t bytes) {
  void* at = nullptr;
  if (cudaMalloc(&at, static_cast<size_t>(bytes)) != cudaSuccess) return nullptr;
  return Memory(at);
}

// Runs several passes as one graph, so that launching each costs little compared with it. A single
// pass is launched directly: in a graph, a copy uses another engine.
class Passes {
 public:
  Passes(const Case& one, int passes, cudaStream_t stream)
      : one_(one), passes_(passes), stream_(stream) {
    cudaEventCreate(&begin_);
    cudaEventCreate(&end_);
    if (passes == 1) return;
    cudaGraph_t graph = nullptr;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    for (int i = 0; i < passes; ++i) one.launch(stream);
    if (cudaStreamEndCapture(stream, &graph) != cudaSuccess) return;
    if (cudaGraphInstantiate(&graph_, graph, 0) != cudaSuccess) graph_ = nullptr;
    cudaGraphDestroy(graph);
  }
  Passes(const Passes&) = delete;
  Passes& operator=(const Passes&) = delete;
  ~Passes() {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  bool ready() const { return passes_ == 1 || graph_ != nullptr; }

  double seconds_of_one() {
    float milliseconds = 0;
    cudaEventRecord(begin_, stream_);
    if (graph_ != nullptr) {
      cudaGraphLaunch(graph_, stream_);
    } else {
      one_.launch(stream_);
    }
    cudaEventRecord(end_, stream_);
    cudaEventSynchronize(end_);
    cudaEventElapsedTime(&milliseconds, begin_, end_);
    return static_cast<double>(milliseconds) * 1e-3 / passes_;
  }

 private:
  const Case& one_;
  int passes_;
  cudaStream_t stream_;
  cudaGraphExec_t graph_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

std::string verified(const Case& one, const Arrays& x, cudaStream_t stream) {
  if (one.prepare) one.prepare();
  if (one.poisoned != nullptr) cudaMemset(one.poisoned, 0xff, one.poisoned_bytes);
  cudaMemset(x.wrong, 0, sizeof *x.wrong);
  cudaDeviceSynchronize();
  one.launch(stream);
  one.check(stream);
  cudaStreamSynchronize(stream);
  unsigned long long wrong = 0;
  cudaMemcpy(&wrong, x.wrong, sizeof wrong, cudaMemcpyDeviceToHost);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
    return cudaGetErrorString(error);
  }
  return wrong == 0 ? "" : std::to_string(wrong) + " elements are wrong";
}

std::string name_of(const GpuForm& form) { return std::string(form.operation) + ", " + form.form; }

// Fills in the GPU's name and theoretical bandwidth; returns false without a GPU.
bool describe(GpuSurvey& survey, cudaDeviceProp& gpu) {
  int device = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaGetDeviceProperties(&gpu, device);
  if (error != cudaSuccess) {
    survey.problem = std::string("no GPU: ") + cudaGetErrorString(error);
    return false;
  }
  int kilohertz = 0;
  int bits = 0;
  int driver = 0;
  cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, device);
  cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device);
  cudaDriverGetVersion(&driver);
  survey.gpu = gpu.name;
  // Double data rate: two transfers per cycle.
  survey.theoretical_bytes_per_s = 2.0 * kilohertz * 1e3 * bits / 8;
  survey.facts = std::to_string(gpu.multiProcessorCount) + " SMs, L2 " +
                 std::to_string(gpu.l2CacheSize >> 20) + " MiB, memory bus of " +
                 std::to_string(bits) + " bits at " + std::to_string(kilohertz / 1000) +
                 " MHz, CUDA " + std::to_string(driver / 1000) + "." +
                 std::to_string(driver % 1000 / 10);
  return true;
}

__global__ void case_begins() {}
__global__ void case_ends() {}

void run_marked(const Case& one, cudaStream_t stream) {
  if (one.prepare) one.prepare();
  cudaDeviceSynchronize();
  launch(case_begins, {1, 1, 0, stream});
  one.launch(stream);
  launch(case_ends, {1, 1, 0, stream});
  cudaStreamSynchronize(stream);
}

int64_t power_of_two_below(int64_t number) {
  int64_t power = 1;
  while (power * 2 <= number) power *= 2;
  return power;
}

Cases cases_of(const Arrays& x, bool few) {
  Cases cases;
  add_stream_cases(x, cases);
  add_async_cases(x, cases);
  add_reduction_cases(x, cases);
  add_cluster_cases(x, cases);
  if (!few) {
    add_tile_cases(x, cases);
    add_norm_cases(x, cases);
    add_order_cases(x, cases);
    add_persistence_cases(x, cases);
  }
  return cases;
}

// Throws std::runtime_error if a kernel cannot be launched.
void fill_in(GpuSurvey& survey, const GpuRequest& request, const std::atomic<int>& interrupts,
             const GpuProgress& progress) {
  cudaDeviceProp gpu{};
  if (!describe(survey, gpu)) return;
  const int64_t bytes = power_of_two_below(request.array_bytes);
  const Memory a = taken(bytes);
  const Memory b = taken(bytes);
  const Memory c = taken(bytes);
  const Memory index = taken(bytes);
  const Memory result = taken(2 * sizeof(double));
  const Memory wrong = taken(sizeof(unsigned long long));
  if (!a || !b || !c || !index || !result || !wrong) {
    survey.problem = "the GPU has no room for four arrays of " + std::to_string(bytes >> 20) +
                     " MiB; use a smaller --size";
    return;
  }
  Arrays memory{static_cast<float*>(a.get()),
                static_cast<float*>(b.get()),
                static_cast<float*>(c.get()),
                static_cast<uint32_t*>(index.get()),
                static_cast<double*>(result.get()),
                static_cast<unsigned long long*>(wrong.get()),
                bytes / 4,
                gpu.multiProcessorCount,
                "memory"};
  launch(fill, {blocks_for(memory.count), kThreads}, memory.a, memory.b, memory.count);
  // A sixth of the cache for each array: all three stay in L2, even if its halves duplicate data.
  Arrays cache = memory;
  cache.count = std::min(memory.count, power_of_two_below(gpu.l2CacheSize / 6) / 4);
  cache.level = "L2";
  cache.in_cache = true;

  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  const std::unique_ptr<CUstream_st, Freed> owned(stream);
  int done = 0;
  Cases in_memory = cases_of(memory, false);
  Cases in_cache = request.once ? Cases{} : cases_of(cache, true);
  const int all = static_cast<int>(in_memory.size() + in_cache.size()) + 1;
  const auto measure = [&](const Case& one, const Arrays& x, int passes) {
    progress(done++, all, name_of(one.form));
    if (request.once) {
      run_marked(one, stream);
      return true;
    }
    const std::string bad = verified(one, x, stream);
    if (!bad.empty()) {
      survey.problem = name_of(one.form) + ": " + bad;
      return false;
    }
    Passes timer(one, passes, stream);
    if (!timer.ready()) {
      survey.problem = name_of(one.form) + ": could not be captured";
      return false;
    }
    const double first = timer.seconds_of_one();
    const double budget = request.quick ? 0.02 : 0.1;
    const int samples = std::clamp(static_cast<int>(budget / (first * passes)), 5, 100);
    GpuMeasured measured{one.form, {}};
    for (int i = 0; i < samples; ++i) measured.seconds.push_back(timer.seconds_of_one());
    survey.measured.push_back(std::move(measured));
    return true;
  };
  bool going = true;
  for (const Case& one : in_memory) {
    going = going && interrupts == 0 && measure(one, memory, 1);
  }
  forget_persistence();
  constexpr int kInARow = 50;
  for (const Case& one : in_cache) {
    going = going && interrupts == 0 && measure(one, cache, kInARow);
  }
  if (going && interrupts == 0 && !request.once) {
    progress(done++, all, "transfers between host and GPU");
    const int64_t moved = std::min<int64_t>(bytes, 256 << 20);
    const auto keep = [&](std::vector<GpuMeasured> transfers) {
      for (GpuMeasured& one : transfers) survey.measured.push_back(std::move(one));
    };
    keep(measure_transfers(moved, request.quick, memory.a, memory.b, survey.problem));
    keep(measure_managed(moved, request.quick, memory.c, survey.problem));
  }
  survey.complete = going && interrupts == 0;
}

}  // namespace

GpuSurvey survey_memory(const GpuRequest& request, const std::atomic<int>& interrupts,
                        const GpuProgress& progress) {
  GpuSurvey survey;
  try {
    fill_in(survey, request, interrupts, progress);
  } catch (const std::runtime_error& failed) {
    survey.problem = failed.what();
  }
  return survey;
}

}  // namespace tacho::gpubench
