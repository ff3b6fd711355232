// Which layers the processors' shared memory holds, and whether that is the faster way
// (norm_ways.h).
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <tuple>

#include "kernels/held_norm.cuh"

namespace tacho::kernels {
namespace {

// Of larger layers too much would be read twice, and a start is no part of their time.
constexpr int64_t kMostForwardBytes = int64_t{64} << 20;
constexpr int64_t kMostBackwardBytes = int64_t{32} << 20;

// Far more launches than are under way at a time, and slices than fit.
constexpr unsigned kMeetingRows = 32;
constexpr int kMostSlices = 64;
__device__ Meeting meeting_table[kMeetingRows][kMostSlices];

std::atomic<bool> room_is_left = false;

struct Device {
  int number = 0;
  bool holds = false;  // can have all blocks of a kernel at once
  int processors = 0;
  int shared_bytes = 0;  // that a block may ask for
  Meeting* meetings = nullptr;
};

Device look_at(int number) {
  const auto attribute = [number](cudaDeviceAttr which) {
    int value = 0;
    cudaDeviceGetAttribute(&value, which, number);
    return value;
  };
  Device device{number, attribute(cudaDevAttrCooperativeLaunch) != 0,
                attribute(cudaDevAttrMultiProcessorCount),
                attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin), nullptr};
  void* at = nullptr;
  if (cudaGetSymbolAddress(&at, meeting_table) != cudaSuccess) {
    cudaGetLastError();  // it is for another architecture, which is no failure
    device.holds = false;
  }
  device.meetings = static_cast<Meeting*>(at);
  return device;
}

// Of a row of a slice: x, and dy on the way back.
int64_t row_bytes(Pass pass) { return (pass == Pass::forward ? 1 : 2) * kSlicePacks * kPackBytes; }

// What was asked of the driver once is remembered: a step of a deep model comes here a hundred
// times.
class Known {
 public:
  static Known& instance() {
    static Known known;
    return known;
  }

  Device device() {
    int number = 0;
    cudaGetDevice(&number);
    const std::lock_guard lock(mutex_);
    const auto found = devices_.find(number);
    if (found != devices_.end()) return found->second;
    return devices_.emplace(number, look_at(number)).first->second;
  }

  // Whether a processor can have a block of it.
  bool make_ready(const Device& device, const void* kernel, int threads) {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = ready_.emplace(std::tuple(device.number, kernel, threads), false);
    if (is_new) {
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           device.shared_bytes);
      int blocks = 0;
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                    static_cast<size_t>(device.shared_bytes));
      place->second = cudaGetLastError() == cudaSuccess && blocks > 0;
    }
    return place->second;
  }

  template <class Choose>
  std::optional<HeldPlan> plan(const Device& device, const Rows& shape, Pass pass, Choose choose) {
    const Key key{device.number, pass, shape.type, shape.rows, shape.channels};
    {
      const std::lock_guard lock(mutex_);
      const auto found = plans_.find(key);
      if (found != plans_.end()) return found->second;
    }
    const std::optional<HeldPlan> chosen = choose();
    const std::lock_guard lock(mutex_);
    return plans_.emplace(key, chosen).first->second;
  }

 private:
  using Key = std::tuple<int, Pass, DataType, int64_t, int64_t>;
  std::mutex mutex_;
  std::map<int, Device> devices_;
  std::map<std::tuple<int, const void*, int>, bool> ready_;
  std::map<Key, std::optional<HeldPlan>> plans_;
};

}  // namespace

Meeting* next_meetings() {
  static std::atomic<unsigned> launches = 0;
  return Known::instance().device().meetings + launches++ % kMeetingRows * kMostSlices;
}

std::optional<HeldPlan> held_plan(const Rows& shape, Pass pass, int threads) {
  const Device device = Known::instance().device();
  const int64_t packs = shape.channels / pack_width(shape.type);
  const int64_t slices = packs / kSlicePacks;
  if (!device.holds || shape.rows == 0 || packs % kSlicePacks != 0) return std::nullopt;
  if (slices == 0 || slices > std::min(kMostSlices, device.processors)) return std::nullopt;
  const auto up_to = [](int64_t number, int64_t of) { return (number + of - 1) / of; };
  const int down = threads / kSlicePacks;
  const int64_t blocks = std::min(device.processors / slices, up_to(shape.rows, down));
  const int64_t rows_each = up_to(shape.rows, blocks);
  const int64_t room = (device.shared_bytes - held_scratch_bytes(shape.type)) / row_bytes(pass);
  const int64_t held = std::min(up_to(rows_each, down), room / down) * down;
  const void* kernel =
      pass == Pass::forward ? held_forward_kernel(shape.type) : held_backward_kernel(shape.type);
  if (rows_each > INT32_MAX || !Known::instance().make_ready(device, kernel, threads)) {
    return std::nullopt;
  }
  return HeldPlan{static_cast<int>(slices), static_cast<int>(blocks), threads,
                  static_cast<int>(rows_each), static_cast<int>(held)};
}

std::optional<HeldPlan> choose_held_plan(const Rows& shape, Pass pass) {
  const int64_t bytes = passed_bytes(shape) * kPackBytes;
  const bool forward = pass == Pass::forward;
  if (!forward && room_is_left) return std::nullopt;
  if (bytes > (forward ? kMostForwardBytes : kMostBackwardBytes)) return std::nullopt;
  return Known::instance().plan(Known::instance().device(), shape, pass, [&] {
    const auto plan = held_plan(shape, pass, kMostHeldThreadsBack);
    // What is not held needs more loads under way.
    const bool all = !plan || plan->held_rows >= plan->rows_each;
    return all || !forward ? plan : held_plan(shape, pass, kMostHeldThreads);
  });
}

bool batch_norm_is_one_kernel(const Rows& shape) {
  return choose_held_plan(shape, Pass::forward).has_value();
}

bool batch_norm_back_is_one_kernel(const Rows& shape) {
  return choose_held_plan(shape, Pass::backward).has_value();
}

void leave_room_on_the_way_back() { room_is_left = true; }

void launch_held(const void* kernel, const Rows& shape, Pass pass, const HeldPlan& plan,
                 void** arguments, Stream stream) {
  Known& known = Known::instance();
  known.make_ready(known.device(), kernel, plan.threads);
  cudaLaunchAttribute at_once{};
  at_once.id = cudaLaunchAttributeCooperative;
  at_once.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(plan.slices), static_cast<unsigned>(plan.blocks));
  config.blockDim = dim3(static_cast<unsigned>(plan.threads));
  config.dynamicSmemBytes = static_cast<size_t>(plan.held_rows * row_bytes(pass)) +
                            static_cast<size_t>(held_scratch_bytes(shape.type));
  config.stream = stream;
  config.attrs = &at_once;
  config.numAttrs = 1;
  cudaLaunchKernelExC(&config, kernel, arguments);
}

}  // namespace tacho::kernels
