#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/kernel_class.h"
#include "tracefile/gpu_trace.h"

namespace tacho {

enum class CallKind : std::uint8_t { other, launch, graph_launch, copy, wait };

// What a name of a trace tells, asked once for each name and not for each record.
struct NameFacts {
  std::string readable;  // as its author wrote it, not as the linker sees it
  KernelClass kind = KernelClass::other;
  bool tensor_cores = false;
  bool backward = false;
  bool layout_change = false;
  CallKind call = CallKind::other;

  // Products and convolutions: what a model computes, and an optimizer's update does not.
  [[nodiscard]] bool heavy() const {
    return kind == KernelClass::convolution || kind == KernelClass::product;
  }
};

CallKind kind_of_call(std::string_view name);

// One for each of the trace's names, and one more for an index that is none.
std::vector<NameFacts> facts_of_names(const GpuTrace& trace);

inline const NameFacts& facts_at(const std::vector<NameFacts>& facts, std::uint32_t name) {
  return name < facts.size() ? facts[name] : facts.back();
}

}  // namespace tacho
