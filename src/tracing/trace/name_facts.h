#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tracing/trace/kernel_class.h"
#include "tracing/tracefile/gpu_trace.h"

namespace tacho {

enum class CallKind : std::uint8_t { other, launch, graph_launch, copy, wait };

// Properties of a name in a trace, computed once per name instead of once per record.
struct NameFacts {
  std::string readable;  // demangled
  KernelClass kind = KernelClass::other;
  bool tensor_cores = false;
  bool backward = false;
  bool layout_change = false;
  CallKind call = CallKind::other;

  // Products and convolutions, which occur in a model but not in an optimizer's update.
  [[nodiscard]] bool heavy() const {
    return kind == KernelClass::convolution || kind == KernelClass::product;
  }
};

CallKind kind_of_call(std::string_view name);

// One per name of the trace, and a last one for invalid indices.
std::vector<NameFacts> facts_of_names(const GpuTrace& trace);

inline const NameFacts& facts_at(const std::vector<NameFacts>& facts, std::uint32_t name) {
  return name < facts.size() ? facts[name] : facts.back();
}

}  // namespace tacho
