#include "tracing/inject/activity_encoder.h"

#include <string>
#include <utility>

#include "tracing/inject/activity_layout.h"
#include "tracing/inject/record_check.h"

namespace tacho {
namespace {

// The layout cannot change while the process runs, so checking the first kernels is enough.
constexpr int kKernelsToCheck = 16;
constexpr std::uint8_t kPageableMemory = 1;
constexpr std::uint32_t kThreadObject = 2;
constexpr std::uint32_t kMarkerInstant = 1 << 0;
constexpr std::uint32_t kMarkerBegin = 1 << 1;
constexpr std::uint32_t kMarkerEnd = 1 << 2;

template <class Record>
void read_times(const void* record, std::size_t start, std::size_t end, Record& out) {
  out.begin_ns = read_field<std::int64_t>(record, start);
  out.end_ns = read_field<std::int64_t>(record, end);
}

CopyKind copy_kind(std::uint8_t kind) {
  switch (kind) {
    case 1:  // to memory
    case 3:  // to an array
      return CopyKind::host_to_device;
    case 2:
    case 4:
      return CopyKind::device_to_host;
    case 5:
    case 6:
    case 7:
    case 8:
      return CopyKind::device_to_device;
    case 10:
      return CopyKind::peer;
    default:
      return CopyKind::other;
  }
}

}  // namespace

ActivityEncoder::ActivityEncoder(const CuptiApi& api, GpuTraceEncoder& encoder,
                                 DescribeGpu describe)
    : api_(api),
      encoder_(encoder),
      describe_(std::move(describe)),
      kernel_names_(encoder),
      call_names_(api, encoder) {}

bool ActivityEncoder::encode_buffer(std::uint8_t* buffer, std::size_t valid_size) {
  void* record = nullptr;
  while (valid_size > 0 && api_.next_record(buffer, valid_size, &record) == kCuptiSuccess) {
    ++records_;
    if (!encode(record)) return false;
  }
  return true;
}

bool ActivityEncoder::encode(const void* record) {
  switch (read_field<ActivityKind>(record, kKindOffset)) {
    case ActivityKind::kernel:
    case ActivityKind::concurrent_kernel:
      return encode_kernel(record);
    case ActivityKind::copy:
      encode_copy(record, false);
      break;
    case ActivityKind::peer_copy:
      encode_copy(record, true);
      break;
    case ActivityKind::set:
      encode_set(record);
      break;
    case ActivityKind::driver_call:
      encode_call(record, CallDomain::driver);
      break;
    case ActivityKind::runtime_call:
      encode_call(record, CallDomain::runtime);
      break;
    case ActivityKind::marker:
      encode_marker(record);
      break;
  }
  return true;
}

bool ActivityEncoder::encode_kernel(const void* record) {
  using Layout = KernelLayout;
  KernelRecord kernel;
  read_times(record, Layout::start, Layout::end, kernel);
  if (is_untimed(kernel.begin_ns, kernel.end_ns)) return true;
  if (checked_kernels_ < kKernelsToCheck) {
    ++checked_kernels_;
    if (!looks_like_a_kernel(record)) return false;
  }
  LaunchShape shape;
  for (std::size_t i = 0; i < 3; ++i) {
    shape.grid[i] = read_field<std::uint32_t>(record, Layout::grid + 4 * i);
    shape.block[i] = read_field<std::uint32_t>(record, Layout::block + 4 * i);
  }
  shape.registers = read_field<std::uint16_t>(record, Layout::registers);
  shape.static_shared_bytes = read_field<std::uint32_t>(record, Layout::static_shared);
  shape.dynamic_shared_bytes = read_field<std::uint32_t>(record, Layout::dynamic_shared);
  kernel.graph_node = read_field<std::uint64_t>(record, Layout::graph_node);
  kernel.name = kernel_names_.find(read_field<const char*>(record, Layout::name));
  kernel.shape = encoder_.shape(shape);
  kernel.device = read_field<std::uint32_t>(record, Layout::device);
  kernel.stream = read_field<std::uint32_t>(record, Layout::stream);
  kernel.correlation = read_field<std::uint32_t>(record, Layout::correlation);
  describe_once(kernel.device);
  encoder_.add(kernel);
  return true;
}

void ActivityEncoder::encode_copy(const void* record, bool is_peer) {
  using Layout = CopyLayout;
  CopyRecord copy;
  read_times(record, Layout::start, Layout::end, copy);
  if (is_untimed(copy.begin_ns, copy.end_ns)) return;
  copy.bytes = read_field<std::int64_t>(record, Layout::bytes);
  copy.kind =
      is_peer ? CopyKind::peer : copy_kind(read_field<std::uint8_t>(record, Layout::copy_kind));
  copy.pageable = read_field<std::uint8_t>(record, Layout::source_kind) == kPageableMemory ||
                  read_field<std::uint8_t>(record, Layout::target_kind) == kPageableMemory;
  copy.device = read_field<std::uint32_t>(record, Layout::device);
  copy.stream = read_field<std::uint32_t>(record, Layout::stream);
  copy.correlation = read_field<std::uint32_t>(
      record, is_peer ? PeerCopyLayout::correlation : Layout::correlation);
  copy.graph_node =
      read_field<std::uint64_t>(record, is_peer ? PeerCopyLayout::graph_node : Layout::graph_node);
  describe_once(copy.device);
  encoder_.add(copy);
}

void ActivityEncoder::encode_set(const void* record) {
  using Layout = SetLayout;
  SetRecord set;
  read_times(record, Layout::start, Layout::end, set);
  if (is_untimed(set.begin_ns, set.end_ns)) return;
  set.bytes = read_field<std::int64_t>(record, Layout::bytes);
  set.device = read_field<std::uint32_t>(record, Layout::device);
  set.stream = read_field<std::uint32_t>(record, Layout::stream);
  set.correlation = read_field<std::uint32_t>(record, Layout::correlation);
  describe_once(set.device);
  encoder_.add(set);
}

void ActivityEncoder::encode_call(const void* record, CallDomain domain) {
  using Layout = CallLayout;
  const auto& known = call_names_.find(domain, read_field<std::uint32_t>(record, Layout::callback));
  if (!known) return;
  CallRecord call;
  read_times(record, Layout::start, Layout::end, call);
  call.name = known->name;
  call.thread = read_field<std::uint32_t>(record, Layout::thread);
  call.correlation = read_field<std::uint32_t>(record, Layout::correlation);
  encoder_.add(call);
  if (known->wait) {
    encoder_.add(SyncRecord{.begin_ns = call.begin_ns,
                            .end_ns = call.end_ns,
                            .kind = *known->wait,
                            .correlation = call.correlation});
  }
}

void ActivityEncoder::encode_marker(const void* record) {
  using Layout = MarkerLayout;
  const auto flags = read_field<std::uint32_t>(record, Layout::flags);
  const auto at_ns = read_field<std::int64_t>(record, Layout::timestamp);
  const auto id = read_field<std::uint32_t>(record, Layout::id);
  if ((flags & kMarkerEnd) != 0) {
    encoder_.add_range_end(id, at_ns);
    return;
  }
  const auto* name = read_field<const char*>(record, Layout::name);
  if (name == nullptr || (flags & (kMarkerBegin | kMarkerInstant)) == 0) return;
  const auto* domain = read_field<const char*>(record, Layout::domain);
  std::string full = domain == nullptr ? "" : std::string(domain) + ": ";
  full += name;
  const bool has_thread = read_field<std::uint32_t>(record, Layout::object_kind) == kThreadObject;
  const std::uint32_t thread = has_thread ? read_field<std::uint32_t>(record, Layout::thread) : 0;
  const std::uint32_t number = encoder_.name(cut_text(full, kMaxName));
  if ((flags & kMarkerBegin) != 0) {
    encoder_.add_range_begin(id, at_ns, number, thread);
  } else {
    encoder_.add_mark(at_ns, number, thread);
  }
}

void ActivityEncoder::describe_once(std::uint32_t index) {
  if (gpus_.insert(index).second) encoder_.add(describe_(index));
}

bool ActivityEncoder::is_untimed(std::int64_t begin_ns, std::int64_t end_ns) {
  if (begin_ns > 0 && end_ns > 0) return false;
  encoder_.add_dropped(1);
  return true;
}

}  // namespace tacho
