#include "tracing/tracefile/chunk_decoder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/huge_pages.h"

namespace tacho {
namespace {

std::int64_t read_instant(VarintReader& in, TraceDeltas& before) {
  before.begin += static_cast<std::uint64_t>(in.signed_number());
  return static_cast<std::int64_t>(before.begin);
}

// Returns false if the end is before the begin, which requires a length of at least 2^63.
template <class Record>
bool read_times(VarintReader& in, TraceDeltas& before, Record& record) {
  record.begin_ns = read_instant(in, before);
  record.end_ns = static_cast<std::int64_t>(before.begin + in.number());
  return record.end_ns >= record.begin_ns;
}

bool read_correlation(VarintReader& in, TraceDeltas& before, std::uint32_t& correlation) {
  before.correlation += static_cast<std::uint64_t>(in.signed_number());
  correlation = static_cast<std::uint32_t>(before.correlation);
  return before.correlation <= UINT32_MAX;
}

template <class Record>
void read_stream(VarintReader& in, std::uint8_t flags, TraceDeltas& before, Record& record) {
  if ((flags & kSamePlaceFlag) == 0) {
    before.device = in.number32();
    before.stream = in.number32();
  }
  record.device = before.device;
  record.stream = before.stream;
}

std::uint32_t read_thread(VarintReader& in, std::uint8_t flags, TraceDeltas& before) {
  if ((flags & kSamePlaceFlag) == 0) before.thread = in.number32();
  return before.thread;
}

std::uint64_t read_node(VarintReader& in, std::uint8_t flags, TraceDeltas& before) {
  if ((flags & kGraphNodeFlag) == 0) return 0;
  before.graph_node += static_cast<std::uint64_t>(in.signed_number());
  return before.graph_node;
}

template <class Record>
void sort_by_begin(std::vector<Record>& records) {
  const auto earlier = [](const Record& a, const Record& b) { return a.begin_ns < b.begin_ns; };
  if (!std::is_sorted(records.begin(), records.end(), earlier)) {
    std::stable_sort(records.begin(), records.end(), earlier);
  }
}

}  // namespace

// A kernel and the call that launched it take 16 to 18 bytes together.
ChunkDecoder::ChunkDecoder(std::size_t size) {
  constexpr std::size_t kBytesOfBoth = 16;
  reserve_in_huge_pages(trace_.kernels, size / kBytesOfBoth);
  reserve_in_huge_pages(trace_.calls, size / kBytesOfBoth);
}

Result<void> ChunkDecoder::decode(std::string_view payload) {
  VarintReader in(payload);
  AllTraceDeltas deltas{};
  while (!in.at_end()) {
    if (!decode_record(in, deltas) || in.failed()) {
      return Error{
          ErrorCode::invalid,
          "contains a record that this version of Tacho cannot read; record the run again"};
    }
  }
  return {};
}

bool ChunkDecoder::decode_record(VarintReader& in, AllTraceDeltas& deltas) {
  const std::uint8_t first = in.byte();
  const std::uint8_t flags = first & ~kTraceTagMask;
  TraceDeltas& before = deltas[first & kTraceTagMask];
  switch (static_cast<TraceTag>(first & kTraceTagMask)) {
    case TraceTag::process:
      read_process(in);
      return true;
    case TraceTag::gpu:
      read_gpu(in);
      return true;
    case TraceTag::name:
      trace_.names.emplace_back(in.text());
      return true;
    case TraceTag::shape:
      read_shape(in);
      return true;
    case TraceTag::kernel:
      return read_kernel(in, flags, before);
    case TraceTag::copy:
      return read_copy(in, flags, before);
    case TraceTag::set:
      return read_set(in, flags, before);
    case TraceTag::call:
      return read_call(in, flags, before);
    case TraceTag::sync:
      return read_sync(in, before);
    case TraceTag::range_begin:
      return read_range_begin(in, flags, before);
    case TraceTag::range_end:
      return read_range_end(in, before);
    case TraceTag::mark:
      return read_mark(in, flags, before);
    case TraceTag::dropped:
      trace_.dropped += in.number();
      return true;
    case TraceTag::end:
      trace_.ended = true;
      return true;
  }
  return false;
}

void ChunkDecoder::read_process(VarintReader& in) {
  trace_.process = in.number32();
  trace_.cupti_version = in.number32();
  trace_.driver_version = in.number32();
  trace_.to_unix_ns = in.signed_number();
  trace_.program = in.text();
}

void ChunkDecoder::read_gpu(VarintReader& in) {
  TracedGpu gpu;
  gpu.index = in.number32();
  gpu.name = in.text();
  gpu.compute_major = in.number32();
  gpu.compute_minor = in.number32();
  gpu.multiprocessors = in.number32();
  gpu.memory_bytes = static_cast<std::int64_t>(in.number());
  gpu.memory_bytes_per_s = std::bit_cast<double>(in.number());
  gpu.clock_hz = std::bit_cast<double>(in.number());
  trace_.gpus.push_back(std::move(gpu));
}

void ChunkDecoder::read_shape(VarintReader& in) {
  LaunchShape shape;
  for (std::uint32_t& extent : shape.grid) extent = in.number32();
  for (std::uint32_t& extent : shape.block) extent = in.number32();
  shape.registers = in.number32();
  shape.static_shared_bytes = in.number32();
  shape.dynamic_shared_bytes = in.number32();
  trace_.shapes.push_back(shape);
}

bool ChunkDecoder::read_kernel(VarintReader& in, std::uint8_t flags, TraceDeltas& before) {
  KernelRecord kernel;
  read_stream(in, flags, before, kernel);
  if (!read_times(in, before, kernel) || !read_correlation(in, before, kernel.correlation)) {
    return false;
  }
  kernel.name = in.number32();
  kernel.shape = in.number32();
  kernel.graph_node = read_node(in, flags, before);
  trace_.kernels.push_back(kernel);
  return is_name(kernel.name) && kernel.shape < trace_.shapes.size();
}

bool ChunkDecoder::read_copy(VarintReader& in, std::uint8_t flags, TraceDeltas& before) {
  CopyRecord copy;
  read_stream(in, flags, before, copy);
  if (!read_times(in, before, copy) || !read_correlation(in, before, copy.correlation)) {
    return false;
  }
  const std::uint64_t kind = in.number();
  copy.kind = static_cast<CopyKind>(kind);
  copy.bytes = static_cast<std::int64_t>(in.number());
  copy.pageable = (flags & kPageableFlag) != 0;
  copy.graph_node = read_node(in, flags, before);
  trace_.copies.push_back(copy);
  return kind <= static_cast<std::uint64_t>(CopyKind::peer) && copy.bytes >= 0;
}

bool ChunkDecoder::read_set(VarintReader& in, std::uint8_t flags, TraceDeltas& before) {
  SetRecord set;
  read_stream(in, flags, before, set);
  if (!read_times(in, before, set) || !read_correlation(in, before, set.correlation)) return false;
  set.bytes = static_cast<std::int64_t>(in.number());
  trace_.sets.push_back(set);
  return set.bytes >= 0;
}

bool ChunkDecoder::read_call(VarintReader& in, std::uint8_t flags, TraceDeltas& before) {
  CallRecord call;
  call.thread = read_thread(in, flags, before);
  if (!read_times(in, before, call) || !read_correlation(in, before, call.correlation)) {
    return false;
  }
  call.name = in.number32();
  trace_.calls.push_back(call);
  return is_name(call.name);
}

bool ChunkDecoder::read_sync(VarintReader& in, TraceDeltas& before) {
  SyncRecord sync;
  if (!read_times(in, before, sync) || !read_correlation(in, before, sync.correlation)) {
    return false;
  }
  const std::uint64_t kind = in.number();
  sync.kind = static_cast<SyncKind>(kind);
  sync.stream = in.number32();
  trace_.syncs.push_back(sync);
  return kind <= static_cast<std::uint64_t>(SyncKind::context);
}

bool ChunkDecoder::read_range_begin(VarintReader& in, std::uint8_t flags, TraceDeltas& before) {
  OpenRange range{};
  range.thread = read_thread(in, flags, before);
  range.begin_ns = read_instant(in, before);
  std::uint32_t id = 0;
  if (!read_correlation(in, before, id)) return false;
  range.name = in.number32();
  range_begins_[id] = range;
  return is_name(range.name);
}

bool ChunkDecoder::read_range_end(VarintReader& in, TraceDeltas& before) {
  const std::int64_t at = read_instant(in, before);
  std::uint32_t id = 0;
  if (!read_correlation(in, before, id)) return false;
  range_ends_[id] = at;
  return true;
}

bool ChunkDecoder::read_mark(VarintReader& in, std::uint8_t flags, TraceDeltas& before) {
  RangeRecord mark;
  mark.thread = read_thread(in, flags, before);
  mark.begin_ns = mark.end_ns = read_instant(in, before);
  mark.name = in.number32();
  trace_.ranges.push_back(mark);
  return is_name(mark.name);
}

std::int64_t ChunkDecoder::last_time() const {
  std::int64_t last = INT64_MIN;
  const auto include = [&](const auto& records) {
    for (const auto& record : records) last = std::max(last, record.end_ns);
  };
  include(trace_.kernels);
  include(trace_.copies);
  include(trace_.sets);
  include(trace_.calls);
  include(trace_.syncs);
  include(trace_.ranges);
  for (const auto& [id, at] : range_ends_) last = std::max(last, at);
  for (const auto& [id, range] : range_begins_) last = std::max(last, range.begin_ns);
  return last;
}

void ChunkDecoder::close_ranges() {
  const std::int64_t last = last_time();
  for (const auto& [id, range] : range_begins_) {
    const auto end = range_ends_.find(id);
    const std::int64_t end_ns = end == range_ends_.end() ? last : end->second;
    trace_.ranges.push_back({.begin_ns = range.begin_ns,
                             .end_ns = std::max(range.begin_ns, end_ns),
                             .name = range.name,
                             .thread = range.thread});
  }
}

GpuTrace ChunkDecoder::finish() && {
  close_ranges();
  sort_by_begin(trace_.kernels);
  sort_by_begin(trace_.copies);
  sort_by_begin(trace_.sets);
  sort_by_begin(trace_.calls);
  sort_by_begin(trace_.syncs);
  sort_by_begin(trace_.ranges);
  return std::move(trace_);
}

}  // namespace tacho
