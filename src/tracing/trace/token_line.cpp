#include "tracing/trace/token_line.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "tracing/trace/gpu_order.h"

namespace tacho {
namespace {

struct Place {
  std::uint32_t device = 0;
  std::uint32_t stream = 0;
};

Place busiest_place(const GpuTrace& trace, const std::vector<NameFacts>& facts) {
  std::unordered_map<std::uint64_t, double> times;
  std::uint64_t last_key = UINT64_MAX;
  double* last = nullptr;
  for (const KernelRecord& kernel : trace.kernels) {
    const std::uint64_t key = (std::uint64_t{kernel.device} << 32) | kernel.stream;
    if (key != last_key || last == nullptr) {
      last = &times[key];  // stays valid: the map's nodes do not move
      last_key = key;
    }
    if (facts_at(facts, kernel.name).kind == KernelClass::communication) continue;
    *last += static_cast<double>(kernel.end_ns - kernel.begin_ns);
  }
  std::pair<double, std::uint64_t> best = {-1, 0};
  for (const auto& [key, time] : times) {
    if (time > best.first || (time == best.first && key < best.second)) best = {time, key};
  }
  return {static_cast<std::uint32_t>(best.second >> 32), static_cast<std::uint32_t>(best.second)};
}

std::uint8_t flags_of(const NameFacts& name) {
  if (name.heavy()) return TokenLine::heavy;
  if (name.kind == KernelClass::optimizer) return TokenLine::optimizer;
  const bool light = name.kind == KernelClass::elementwise || name.kind == KernelClass::copy;
  return light ? TokenLine::light : 0;
}

}  // namespace

TokenLine token_line(const GpuTrace& trace, const std::vector<NameFacts>& facts, Streams streams) {
  const Place place = busiest_place(trace, facts);
  const auto here = [&](const auto& record) {
    return record.device == place.device &&
           (streams == Streams::all_of_its_device || record.stream == place.stream);
  };

  TokenLine line;
  line.device = place.device;
  // Words after the names: one per kind of copy, one for a set, one for each heavy class.
  const auto names = static_cast<std::uint32_t>(facts.size());
  constexpr std::uint32_t kSet = 8;
  constexpr std::uint32_t kConvolution = 9;
  constexpr std::uint32_t kProduct = 10;
  line.word_count = names + 11;

  std::vector<std::uint8_t> flags(names);
  std::vector<std::uint32_t> kinds(names);
  for (std::uint32_t i = 0; i < names; ++i) {
    flags[i] = flags_of(facts[i]);
    kinds[i] = i;
    if (facts[i].kind == KernelClass::convolution) kinds[i] = names + kConvolution;
    if (facts[i].kind == KernelClass::product) kinds[i] = names + kProduct;
  }

  const auto add = [&line](const auto& record, std::uint32_t word, std::uint32_t kind,
                           std::uint32_t shape, std::uint8_t flag) {
    line.words.push_back(word);
    line.kinds.push_back(kind);
    line.shapes.push_back(shape);
    line.flags.push_back(flag);
    line.begin_ns.push_back(record.begin_ns);
    line.end_ns.push_back(record.end_ns);
  };
  std::uint32_t replay = 0;
  const auto add_kernel = [&](std::size_t i) {
    const KernelRecord& kernel = trace.kernels[i];
    if (!here(kernel)) return;
    const std::uint32_t word = std::min(kernel.name, names - 1);
    std::uint8_t flag = flags[word];
    if (kernel.graph_node != 0 && kernel.correlation != replay) {
      flag |= TokenLine::replay;
      replay = kernel.correlation;
    }
    add(kernel, word, kinds[word], kernel.shape, flag);
  };
  const auto add_copy = [&](const CopyRecord& copy) {
    if (!here(copy)) return;
    const std::uint32_t word = names + static_cast<std::uint32_t>(copy.kind);
    std::uint8_t flag = 0;
    if (copy.kind == CopyKind::host_to_device) flag = TokenLine::input;
    if (copy.kind == CopyKind::device_to_device) flag = TokenLine::light;
    add(copy, word, word, 0, flag);
  };
  const auto add_set = [&](const SetRecord& set) {
    if (here(set)) add(set, names + kSet, names + kSet, 0, TokenLine::light);
  };
  in_order_of_begin(trace, add_kernel, add_copy, add_set);
  return line;
}

std::uint32_t busiest_device(const GpuTrace& trace) {
  std::unordered_map<std::uint32_t, double> times;
  for (const KernelRecord& kernel : trace.kernels) {
    times[kernel.device] += static_cast<double>(kernel.end_ns - kernel.begin_ns);
  }
  std::pair<double, std::uint32_t> best = {-1, 0};
  for (const auto& [device, time] : times) {
    if (time > best.first || (time == best.first && device < best.second)) best = {time, device};
  }
  return best.second;
}

}  // namespace tacho
