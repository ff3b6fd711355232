// Decides which layers fit into the SMs' shared memory and whether one kernel is faster for them
// (norm_variants.h).
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "training/kernels/held_norm.cuh"

namespace tacho::kernels {
namespace {

__device__ Meeting the_meeting;

std::atomic<bool> room_is_left = false;

// The largest layers that run as one kernel: the size of x in multiples of the shared memory of all
// SMs. Larger layers read too much twice, and saving launches does not matter for them. Measured on
// an H200, which has 31 MB of shared memory and 60 MB of L2 cache.
constexpr int64_t kMostRooms = 8;
constexpr int64_t kMostRoomsWithResidual = 2;
constexpr int64_t kMostRoomsBack = 2;
constexpr int64_t kMostRoomsBackWithResidual = 1;

struct Device {
  int number = 0;
  bool holds = false;  // supports cooperative launch
  int processors = 0;
  int shared_bytes = 0;  // most that a block may request
  Meeting* meeting = nullptr;
};

Device look_at(int number) {
  const auto attribute = [number](cudaDeviceAttr which) {
    int value = 0;
    cudaDeviceGetAttribute(&value, which, number);
    return value;
  };
  void* meeting = nullptr;
  const bool here = cudaGetSymbolAddress(&meeting, the_meeting) == cudaSuccess;
  // A build without this GPU's architecture is not an error, but the next check would report one.
  if (!here) cudaGetLastError();
  return {number, here && attribute(cudaDevAttrCooperativeLaunch) != 0,
          std::min(attribute(cudaDevAttrMultiProcessorCount), kMostHeldBlocks),
          attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin), static_cast<Meeting*>(meeting)};
}

// Caches what the driver answered: a deep model needs it a hundred times per step.
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

  bool is_first_launch(const Device& device, const void* kernel) {
    const std::lock_guard lock(mutex_);
    return launched_.emplace(device.number, kernel).second;
  }

 private:
  std::mutex mutex_;
  std::map<int, Device> devices_;
  std::set<std::pair<int, const void*>> launched_;
};

// Bytes per row of a slice: x, and dy in backward.
int64_t row_bytes(Pass pass) { return (pass == Pass::forward ? 1 : 2) * kSlicePacks * kPackBytes; }

}  // namespace

std::optional<HeldPlan> held_plan(const Rows& shape, Pass pass, int threads) {
  const Device device = Known::instance().device();
  const int64_t packs = shape.channels / pack_width(shape.type);
  const int64_t slices = packs / kSlicePacks;
  if (!device.holds || shape.rows == 0 || packs % kSlicePacks != 0) return std::nullopt;
  if (slices == 0 || slices > device.processors) return std::nullopt;
  const auto up_to = [](int64_t number, int64_t of) { return (number + of - 1) / of; };
  const int down = threads / kSlicePacks;
  const int64_t blocks = std::min(device.processors / slices, up_to(shape.rows, down));
  const int64_t rows_each = up_to(shape.rows, blocks);
  if (rows_each > INT32_MAX) return std::nullopt;
  const int64_t room = (device.shared_bytes - held_scratch_bytes(shape.type)) / row_bytes(pass);
  const int64_t held = std::min(up_to(rows_each, down), room / down) * down;
  return HeldPlan{static_cast<int>(slices), static_cast<int>(blocks), threads,
                  static_cast<int>(rows_each), static_cast<int>(held)};
}

std::optional<HeldPlan> held_plan(const Rows& shape, Pass pass) {
  const auto plan = held_plan(shape, pass, kHeldThreads);
  // Rows that are not held need more loads in flight.
  const bool all = !plan || plan->held_rows >= plan->rows_each;
  return all || pass == Pass::backward ? plan : held_plan(shape, pass, kMostForwardThreads);
}

std::optional<HeldPlan> choose_held_plan(const Rows& shape, Pass pass, bool residual) {
  const bool forward = pass == Pass::forward;
  if (!forward && room_is_left) return std::nullopt;
  const Device device = Known::instance().device();
  const int64_t room = int64_t{device.processors} * device.shared_bytes;
  const int64_t most = forward ? (residual ? kMostRoomsWithResidual : kMostRooms)
                               : (residual ? kMostRoomsBackWithResidual : kMostRoomsBack);
  if (passed_bytes(shape) * kPackBytes > most * room) return std::nullopt;
  return held_plan(shape, pass);
}

void leave_room_in_backward() { room_is_left = true; }

HeldLaunch held_launch(const void* kernel, const Rows& shape, Pass pass, const HeldPlan& plan,
                       Stream stream) {
  const Device device = Known::instance().device();
  if (Known::instance().is_first_launch(device, kernel)) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, device.shared_bytes);
  }
  cudaLaunchAttribute at_once{};
  at_once.id = cudaLaunchAttributeCooperative;
  at_once.val.cooperative = 1;
  const dim3 grid(static_cast<unsigned>(plan.slices), static_cast<unsigned>(plan.blocks));
  const auto shared_bytes = static_cast<size_t>(plan.held_rows * row_bytes(pass)) +
                            static_cast<size_t>(held_scratch_bytes(shape.type));
  return {{grid, static_cast<unsigned>(plan.threads), shared_bytes, stream, at_once},
          device.meeting};
}

}  // namespace tacho::kernels
