#include "trace/name_facts.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace tacho {
namespace {

std::string readable_name(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

bool holds_word(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

CallKind kind_of_call(std::string_view name) {
  if (!name.starts_with("cu")) return CallKind::other;
  if (holds_word(name, "GraphLaunch")) return CallKind::graph_launch;
  if (holds_word(name, "LaunchKernel") || holds_word(name, "LaunchCooperative") ||
      holds_word(name, "LaunchGrid") || name == "cuLaunch" || name.starts_with("cudaLaunch_")) {
    return CallKind::launch;
  }
  if (holds_word(name, "Synchronize")) return CallKind::wait;
  if (holds_word(name, "Memcpy")) {
    return holds_word(name, "Async") ? CallKind::copy : CallKind::wait;
  }
  // Giving memory back waits until nobody uses it.
  if (name.starts_with("cudaFree_") || name == "cudaFree" || name.starts_with("cuMemFree_v") ||
      name == "cuMemFree") {
    return CallKind::wait;
  }
  return CallKind::other;
}

std::vector<NameFacts> facts_of_names(const GpuTrace& trace) {
  std::vector<NameFacts> facts;
  facts.reserve(trace.names.size() + 1);
  for (const std::string& name : trace.names) {
    NameFacts one;
    one.readable = readable_name(name);
    one.kind = class_of_kernel(one.readable);
    one.tensor_cores = uses_tensor_cores(one.readable);
    one.backward = is_backward_kernel(one.readable);
    one.layout_change = changes_layout(one.readable);
    one.call = kind_of_call(one.readable);
    facts.push_back(std::move(one));
  }
  NameFacts none;
  none.readable = "(no name)";
  facts.push_back(std::move(none));
  return facts;
}

}  // namespace tacho
