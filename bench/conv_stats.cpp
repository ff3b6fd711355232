// Tests whether cuDNN can compute a batch norm's sums together with the convolution before it.
// Times ResNet-50's convolutions alone, with the sums of their result and its squares, and also
// with the norm before them (scale, shift, ReLU), with the fastest of the plans that cuDNN offers.
// For comparison: the time to read the result once, which the sums would save.
//   g++ -std=c++20 -O2 -Wno-deprecated-declarations bench/conv_stats.cpp -lcudnn -lcudnn_graph
//   -lcudart -o conv_stats
// with -I and -L for CUDA and cuDNN.
//   ./conv_stats [BATCH]
#include <cuda_runtime.h>
#include <cudnn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(cudnnStatus_t status, const char* what) {
  if (status != CUDNN_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + ": " + cudnnGetErrorString(status));
}

class Descriptor {
 public:
  explicit Descriptor(cudnnBackendDescriptorType_t type) {
    check(cudnnBackendCreateDescriptor(type, &at_), "create");
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { cudnnBackendDestroyDescriptor(at_); }

  Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                  const void* values, size_t count = 1) {
    check(cudnnBackendSetAttribute(at_, name, type, static_cast<int64_t>(count), values), "set");
    return *this;
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const std::vector<int64_t>& values) {
    return set(name, CUDNN_TYPE_INT64, values.data(), values.size());
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const Descriptor& other) {
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, &other.at_);
  }
  void finish() { check(cudnnBackendFinalize(at_), "finalize"); }
  cudnnBackendDescriptor_t at() const { return at_; }

 private:
  cudnnBackendDescriptor_t at_ = nullptr;
};
using Part = std::shared_ptr<Descriptor>;

struct Convolution {
  int64_t in, side, out, kernel, stride;
  int times;  // in a ResNet-50
};
constexpr Convolution kConvolutions[] = {
    {64, 56, 64, 1, 1, 1},    {64, 56, 64, 3, 1, 3},     {64, 56, 256, 1, 1, 4},
    {256, 56, 64, 1, 1, 2},   {256, 56, 128, 1, 1, 1},   {128, 56, 128, 3, 2, 1},
    {128, 28, 512, 1, 1, 4},  {256, 56, 512, 1, 2, 1},   {512, 28, 128, 1, 1, 3},
    {128, 28, 128, 3, 1, 3},  {512, 28, 256, 1, 1, 1},   {256, 28, 256, 3, 2, 1},
    {256, 14, 1024, 1, 1, 6}, {512, 28, 1024, 1, 2, 1},  {1024, 14, 256, 1, 1, 5},
    {256, 14, 256, 3, 1, 5},  {1024, 14, 512, 1, 1, 1},  {512, 14, 512, 3, 2, 1},
    {512, 7, 2048, 1, 1, 3},  {1024, 14, 2048, 1, 2, 1}, {2048, 7, 512, 1, 1, 2},
    {512, 7, 512, 3, 1, 2},
};

enum class With { nothing, sums, norm_and_sums };

// The operations around one convolution, and the tensors in memory.
class Graph {
 public:
  Graph(cudnnHandle_t handle, const Convolution& c, int64_t batch, cudnnDataType_t type,
        With with) {
    const std::vector<int64_t> in{batch, c.in, c.side, c.side};
    const Part weights = tensor({c.out, c.in, c.kernel, c.kernel}, type);
    Part x = tensor(in, type);
    if (with == With::norm_and_sums) {
      const Part scaled = tensor(in, CUDNN_DATA_FLOAT, false);
      const Part shifted = tensor(in, CUDNN_DATA_FLOAT, false);
      const Part gated = tensor(in, type, false);
      pointwise(CUDNN_POINTWISE_MUL, *x, tensor({1, c.in, 1, 1}, type), *scaled);
      pointwise(CUDNN_POINTWISE_ADD, *scaled, tensor({1, c.in, 1, 1}, type), *shifted);
      pointwise(CUDNN_POINTWISE_RELU_FWD, *shifted, nullptr, *gated);
      x = gated;
    }
    const Part y = tensor({batch, c.out, c.side / c.stride, c.side / c.stride}, type);
    convolve(c, *x, *weights, *y);
    if (with != With::nothing)
      sum(*y, *tensor({1, c.out, 1, 1}, CUDNN_DATA_FLOAT),
          *tensor({1, c.out, 1, 1}, CUDNN_DATA_FLOAT));
    std::vector<cudnnBackendDescriptor_t> operations;
    for (const Part& operation : operations_) operations.push_back(operation->at());
    whole_
        .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, operations.data(),
             operations.size())
        .set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, &handle)
        .finish();
  }
  const Descriptor& whole() const { return whole_; }
  const std::vector<int64_t>& names() const { return names_; }
  const std::vector<size_t>& bytes() const { return bytes_; }

 private:
  // In channels-last order; one that is not in memory only connects two operations.
  Part tensor(const std::vector<int64_t>& size, cudnnDataType_t type, bool in_memory = true) {
    auto part = std::make_shared<Descriptor>(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    const int64_t name = static_cast<int64_t>(parts_.size()) + 1;
    const bool is_virtual = !in_memory;
    part->set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, &type)
        .set(CUDNN_ATTR_TENSOR_DIMENSIONS, size)
        .set(CUDNN_ATTR_TENSOR_STRIDES,
             {size[1] * size[2] * size[3], 1, size[1] * size[3], size[1]})
        .set(CUDNN_ATTR_TENSOR_UNIQUE_ID, {name})
        .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, {16})
        .set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, &is_virtual)
        .finish();
    parts_.push_back(part);
    if (in_memory) {
      names_.push_back(name);
      bytes_.push_back(static_cast<size_t>(size[0] * size[1] * size[2] * size[3]) *
                       (type == CUDNN_DATA_FLOAT ? 4 : 2));
    }
    return part;
  }
  void pointwise(cudnnPointwiseMode_t mode, const Descriptor& x, const Part& other,
                 const Descriptor& y) {
    auto how = std::make_shared<Descriptor>(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    how->set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, &mode)
        .set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, &kFloat)
        .finish();
    parts_.push_back(how);
    Descriptor& operation = add(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, *how)
        .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x)
        .set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
    if (other) operation.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *other);
    operation.finish();
  }
  void convolve(const Convolution& c, const Descriptor& x, const Descriptor& weights,
                const Descriptor& y) {
    auto how = std::make_shared<Descriptor>(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    const auto mode = CUDNN_CROSS_CORRELATION;
    const std::vector<int64_t> around(2, c.kernel / 2);
    how->set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, &kFloat)
        .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, &mode)
        .set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, {2})
        .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, around)
        .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, around)
        .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, {1, 1})
        .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {c.stride, c.stride})
        .finish();
    parts_.push_back(how);
    const float one = 1;
    const float zero = 0;
    add(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, weights)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, *how)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, &one)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, &zero)
        .finish();
  }
  void sum(const Descriptor& y, const Descriptor& sums, const Descriptor& squares) {
    const auto mode = CUDNN_GENSTATS_SUM_SQSUM;
    add(CUDNN_BACKEND_OPERATION_GEN_STATS_DESCRIPTOR)
        .set(CUDNN_ATTR_OPERATION_GENSTATS_MODE, CUDNN_TYPE_GENSTATS_MODE, &mode)
        .set(CUDNN_ATTR_OPERATION_GENSTATS_MATH_PREC, CUDNN_TYPE_DATA_TYPE, &kFloat)
        .set(CUDNN_ATTR_OPERATION_GENSTATS_XDESC, y)
        .set(CUDNN_ATTR_OPERATION_GENSTATS_SUMDESC, sums)
        .set(CUDNN_ATTR_OPERATION_GENSTATS_SQSUMDESC, squares)
        .finish();
  }
  Descriptor& add(cudnnBackendDescriptorType_t type) {
    operations_.push_back(std::make_shared<Descriptor>(type));
    return *operations_.back();
  }

  static constexpr cudnnDataType_t kFloat = CUDNN_DATA_FLOAT;
  std::vector<Part> parts_;
  std::vector<Part> operations_;
  std::vector<int64_t> names_;
  std::vector<size_t> bytes_;
  Descriptor whole_{CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR};
};

// Returns the plans that cuDNN would try first.
std::vector<Part> configurations(const Graph& graph, cudnnBackendHeurMode_t mode) {
  constexpr int64_t kMost = 5;
  Descriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph.whole())
      .set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, &mode)
      .finish();
  std::vector<Part> found;
  std::vector<cudnnBackendDescriptor_t> places;
  for (int64_t i = 0; i < kMost; ++i) {
    found.push_back(std::make_shared<Descriptor>(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
    places.push_back(found.back()->at());
  }
  int64_t count = 0;
  check(cudnnBackendGetAttribute(heuristic.at(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                 CUDNN_TYPE_BACKEND_DESCRIPTOR, kMost, &count, places.data()),
        "heuristic");
  found.resize(static_cast<size_t>(std::min(count, kMost)));
  return found;
}

class Timer {
 public:
  explicit Timer(size_t bytes) : bytes_(bytes) {
    if (cudaMalloc(&memory_, bytes) != cudaSuccess ||
        cudaMemset(memory_, 0x3c, bytes) != cudaSuccess) {
      throw std::runtime_error("out of device memory");
    }
    check(cudnnCreate(&handle_), "cudnn");
    cudaEventCreate(&begin_);
    cudaEventCreate(&end_);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
    cudnnDestroy(handle_);
    cudaFree(memory_);
  }
  // Returns microseconds with the fastest plan; nullopt if cuDNN has none.
  std::optional<double> best(const Convolution& c, int64_t batch, cudnnDataType_t type, With with) {
    const Graph graph(handle_, c, batch, type, with);
    std::optional<double> fastest;
    for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
      for (const Part& configuration : configurations(graph, mode)) {
        const auto time = time_of(graph, *configuration);
        if (time && (!fastest || *time < *fastest)) fastest = time;
      }
    }
    return fastest;
  }

 private:
  std::optional<double> time_of(const Graph& graph, const Descriptor& configuration) try {
    Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, &handle_)
        .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration)
        .finish();
    int64_t count = 0;
    int64_t workspace = 0;
    check(cudnnBackendGetAttribute(plan.at(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                   CUDNN_TYPE_INT64, 1, &count, &workspace),
          "workspace");
    std::vector<void*> addresses;
    size_t at = 0;
    for (const size_t bytes : graph.bytes()) {
      addresses.push_back(memory_ + at);
      at += (bytes + 1023) / 1024 * 1024;
    }
    if (at + static_cast<size_t>(workspace) > bytes_) return std::nullopt;
    void* behind = memory_ + at;
    Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, addresses.data(),
             addresses.size())
        .set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, graph.names())
        .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, &behind)
        .finish();
    constexpr int kCalls = 8;
    std::vector<float> rounds;
    for (int round = 0; round < 6; ++round) {
      cudaEventRecord(begin_);
      for (int i = 0; i < kCalls; ++i)
        check(cudnnBackendExecute(handle_, plan.at(), pack.at()), "execute");
      cudaEventRecord(end_);
      if (cudaEventSynchronize(end_) != cudaSuccess) {
        std::fprintf(stderr, "conv_stats: a plan failed on the device\n");
        std::exit(1);  // later calls would fail too
      }
      float ms = 0;
      cudaEventElapsedTime(&ms, begin_, end_);
      if (round > 0) rounds.push_back(ms * 1e3F / kCalls);
    }
    std::nth_element(rounds.begin(), rounds.begin() + 2, rounds.end());
    return rounds[2];
  } catch (const std::runtime_error&) {
    return std::nullopt;  // a plan that this device does not support
  }

  char* memory_ = nullptr;
  size_t bytes_;
  cudnnHandle_t handle_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

struct Column {
  const char* name;
  cudnnDataType_t type;
  With with;
  double step_ms = 0;
  int without_plan = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  const int64_t batch = argc > 1 ? std::atoll(argv[1]) : 256;
  constexpr double kReadRate = 4e12;  // bytes per second that an H200 reads
  Timer timer(size_t{6} << 30);
  Column columns[] = {{"bf16", CUDNN_DATA_BFLOAT16, With::nothing},
                      {"+ sums", CUDNN_DATA_BFLOAT16, With::sums},
                      {"norm + sums", CUDNN_DATA_BFLOAT16, With::norm_and_sums},
                      {"fp16", CUDNN_DATA_HALF, With::nothing},
                      {"+ sums", CUDNN_DATA_HALF, With::sums},
                      {"norm + sums", CUDNN_DATA_HALF, With::norm_and_sums}};
  std::printf("%-28s", "µs");
  for (const Column& column : columns) std::printf(" %11s", column.name);
  std::printf(" %11s\n", "read again");
  double read_ms = 0;
  for (const Convolution& c : kConvolutions) {
    std::printf("%4lld ×%3lld² -> %4lld, %lld×%lld/%lld, %d×", static_cast<long long>(c.in),
                static_cast<long long>(c.side), static_cast<long long>(c.out),
                static_cast<long long>(c.kernel), static_cast<long long>(c.kernel),
                static_cast<long long>(c.stride), c.times);
    for (Column& column : columns) {
      const auto time = timer.best(c, batch, column.type, column.with);
      if (time) {
        std::printf(" %11.1f", *time);
        column.step_ms += c.times * *time * 1e-3;
      } else {
        std::printf(" %11s", "-");
        ++column.without_plan;
      }
    }
    const int64_t side = c.side / c.stride;
    const double read = 2.0 * static_cast<double>(batch * c.out * side * side) / kReadRate;
    read_ms += c.times * read * 1e3;
    std::printf(" %11.1f\n", read * 1e6);
    std::fflush(stdout);
  }
  std::printf("%-28s", "ms per step");
  for (const Column& column : columns) {
    if (column.without_plan == 0) std::printf(" %11.2f", column.step_ms);
    if (column.without_plan > 0) std::printf(" %9d -", column.without_plan);
  }
  std::printf(" %11.2f\n", read_ms);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "conv_stats: %s\n", error.what());
  return 1;
}
