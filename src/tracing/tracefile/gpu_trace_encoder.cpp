#include "tracing/tracefile/gpu_trace_encoder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "tracing/tracefile/varint.h"

namespace tacho {
namespace {

// Limits the memory for a program that gives every range a new name.
constexpr std::size_t kMaxNames = std::size_t{1} << 20;
constexpr std::string_view kTooManyNames = "(too many names)";

void append_little_endian(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(value >> shift));
}

std::uint64_t unsigned_of(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace

std::string GpuTraceEncoder::header() {
  std::string bytes(kGpuTraceMagic);
  append_little_endian(bytes, kGpuTraceVersion);
  return bytes;
}

GpuTraceEncoder::GpuTraceEncoder(const TracedProcess& process) {
  begin_record(TraceTag::process, 0);
  append(process.process);
  append(process.cupti_version);
  append(process.driver_version);
  append(zigzag(process.to_unix_ns));
  append_text(process.program);
}

std::uint32_t GpuTraceEncoder::name(std::string_view text) {
  if (names_.size() >= kMaxNames) text = kTooManyNames;
  const auto [place, is_new] =
      names_.try_emplace(std::string(text), static_cast<std::uint32_t>(names_.size()));
  if (is_new) {
    begin_record(TraceTag::name, 0);
    append_text(text);
  }
  return place->second;
}

std::uint32_t GpuTraceEncoder::shape(const LaunchShape& shape) {
  const auto [place, is_new] =
      shapes_.try_emplace(shape, static_cast<std::uint32_t>(shapes_.size()));
  if (is_new) {
    begin_record(TraceTag::shape, 0);
    for (const std::uint32_t extent : shape.grid) append(extent);
    for (const std::uint32_t extent : shape.block) append(extent);
    append(shape.registers);
    append(shape.static_shared_bytes);
    append(shape.dynamic_shared_bytes);
  }
  return place->second;
}

void GpuTraceEncoder::add(const TracedGpu& gpu) {
  begin_record(TraceTag::gpu, 0);
  append(gpu.index);
  append_text(gpu.name);
  append(gpu.compute_major);
  append(gpu.compute_minor);
  append(gpu.multiprocessors);
  append(unsigned_of(gpu.memory_bytes));
  append(std::bit_cast<std::uint64_t>(gpu.memory_bytes_per_s));
  append(std::bit_cast<std::uint64_t>(gpu.clock_hz));
}

void GpuTraceEncoder::add(const KernelRecord& kernel) {
  TraceDeltas& before = begin_on_stream(
      TraceTag::kernel, kernel.graph_node != 0 ? kGraphNodeFlag : 0, kernel.device, kernel.stream);
  append_times(before, kernel.begin_ns, kernel.end_ns);
  append_correlation(before, kernel.correlation);
  append(kernel.name);
  append(kernel.shape);
  append_node(before, kernel.graph_node);
}

void GpuTraceEncoder::add(const CopyRecord& copy) {
  const int flags =
      (copy.graph_node != 0 ? kGraphNodeFlag : 0) | (copy.pageable ? kPageableFlag : 0);
  TraceDeltas& before =
      begin_on_stream(TraceTag::copy, static_cast<std::uint8_t>(flags), copy.device, copy.stream);
  append_times(before, copy.begin_ns, copy.end_ns);
  append_correlation(before, copy.correlation);
  append(static_cast<std::uint64_t>(copy.kind));
  append(unsigned_of(copy.bytes));
  append_node(before, copy.graph_node);
}

void GpuTraceEncoder::add(const SetRecord& set) {
  TraceDeltas& before = begin_on_stream(TraceTag::set, 0, set.device, set.stream);
  append_times(before, set.begin_ns, set.end_ns);
  append_correlation(before, set.correlation);
  append(unsigned_of(set.bytes));
}

void GpuTraceEncoder::add(const CallRecord& call) {
  TraceDeltas& before = begin_on_thread(TraceTag::call, call.thread);
  append_times(before, call.begin_ns, call.end_ns);
  append_correlation(before, call.correlation);
  append(call.name);
}

void GpuTraceEncoder::add(const SyncRecord& sync) {
  TraceDeltas& before = begin_record(TraceTag::sync, 0);
  append_times(before, sync.begin_ns, sync.end_ns);
  append_correlation(before, sync.correlation);
  append(static_cast<std::uint64_t>(sync.kind));
  append(sync.stream);
}

void GpuTraceEncoder::add_range_begin(std::uint32_t id, std::int64_t at_ns, std::uint32_t name,
                                      std::uint32_t thread) {
  TraceDeltas& before = begin_on_thread(TraceTag::range_begin, thread);
  append_instant(before, at_ns);
  append_correlation(before, id);
  append(name);
}

void GpuTraceEncoder::add_range_end(std::uint32_t id, std::int64_t at_ns) {
  TraceDeltas& before = begin_record(TraceTag::range_end, 0);
  append_instant(before, at_ns);
  append_correlation(before, id);
}

void GpuTraceEncoder::add_mark(std::int64_t at_ns, std::uint32_t name, std::uint32_t thread) {
  TraceDeltas& before = begin_on_thread(TraceTag::mark, thread);
  append_instant(before, at_ns);
  append(name);
}

void GpuTraceEncoder::add_dropped(std::uint64_t count) {
  begin_record(TraceTag::dropped, 0);
  append(count);
}

void GpuTraceEncoder::add_end() { begin_record(TraceTag::end, 0); }

std::string GpuTraceEncoder::take_chunk() {
  std::string chunk;
  if (payload_.empty()) return chunk;
  chunk.reserve(kChunkHeaderSize + payload_.size());
  append_little_endian(chunk, static_cast<std::uint32_t>(payload_.size()));
  append_little_endian(chunk, trace_crc32(payload_));
  chunk += payload_;
  payload_.clear();
  deltas_ = {};
  return chunk;
}

std::size_t GpuTraceEncoder::ShapeHash::operator()(const LaunchShape& shape) const {
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint32_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  };
  for (const std::uint32_t extent : shape.grid) mix(extent);
  for (const std::uint32_t extent : shape.block) mix(extent);
  mix(shape.registers);
  mix(shape.static_shared_bytes);
  mix(shape.dynamic_shared_bytes);
  return hash;
}

TraceDeltas& GpuTraceEncoder::begin_record(TraceTag tag, std::uint8_t flags) {
  payload_.push_back(static_cast<char>(static_cast<std::uint8_t>(tag) | flags));
  return deltas_[static_cast<std::size_t>(tag)];
}

TraceDeltas& GpuTraceEncoder::begin_on_stream(TraceTag tag, std::uint8_t flags,
                                              std::uint32_t device, std::uint32_t stream) {
  const TraceDeltas& before = deltas_[static_cast<std::size_t>(tag)];
  const bool same = device == before.device && stream == before.stream;
  TraceDeltas& deltas =
      begin_record(tag, static_cast<std::uint8_t>(flags | (same ? kSamePlaceFlag : 0)));
  if (!same) {
    append(deltas.device = device);
    append(deltas.stream = stream);
  }
  return deltas;
}

TraceDeltas& GpuTraceEncoder::begin_on_thread(TraceTag tag, std::uint32_t thread) {
  const bool same = thread == deltas_[static_cast<std::size_t>(tag)].thread;
  TraceDeltas& deltas = begin_record(tag, same ? kSamePlaceFlag : 0);
  if (!same) append(deltas.thread = thread);
  return deltas;
}

void GpuTraceEncoder::append(std::uint64_t value) { append_varint(payload_, value); }

void GpuTraceEncoder::append_text(std::string_view text) {
  append(text.size());
  payload_ += text;
}

// Differences of times are modulo 2^64, so that no pair of times overflows.
void GpuTraceEncoder::append_times(TraceDeltas& before, std::int64_t begin_ns,
                                   std::int64_t end_ns) {
  const std::uint64_t begin = unsigned_of(begin_ns);
  append(zigzag(static_cast<std::int64_t>(begin - before.begin)));
  append(unsigned_of(std::max(begin_ns, end_ns)) - begin);
  before.begin = begin;
}

void GpuTraceEncoder::append_instant(TraceDeltas& before, std::int64_t at_ns) {
  append(zigzag(static_cast<std::int64_t>(unsigned_of(at_ns) - before.begin)));
  before.begin = unsigned_of(at_ns);
}

void GpuTraceEncoder::append_correlation(TraceDeltas& before, std::uint32_t correlation) {
  append(zigzag(static_cast<std::int64_t>(correlation - before.correlation)));
  before.correlation = correlation;
}

void GpuTraceEncoder::append_node(TraceDeltas& before, std::uint64_t graph_node) {
  if (graph_node == 0) return;
  append(zigzag(static_cast<std::int64_t>(graph_node - before.graph_node)));
  before.graph_node = graph_node;
}

}  // namespace tacho
