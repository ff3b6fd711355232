#include "tracing/trace/name_facts.h"

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

bool name_contains(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

}  // namespace

CallKind kind_of_call(std::string_view name) {
  if (!name.starts_with("cu")) return CallKind::other;
  if (name_contains(name, "GraphLaunch")) return CallKind::graph_launch;
  if (name_contains(name, "LaunchKernel") || name_contains(name, "LaunchCooperative") ||
      name_contains(name, "LaunchGrid") || name == "cuLaunch" || name.starts_with("cudaLaunch_")) {
    return CallKind::launch;
  }
  if (name_contains(name, "Synchronize")) return CallKind::wait;
  if (name_contains(name, "Memcpy")) {
    return name_contains(name, "Async") ? CallKind::copy : CallKind::wait;
  }
  // Freeing memory waits until the GPU no longer uses it.
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
