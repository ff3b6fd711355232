#include "tracing/inject/call_names.h"

#include <algorithm>
#include <array>

namespace tacho {
namespace {

// More than the callbacks of CUDA 13 in either domain.
constexpr std::uint32_t kMostCallbacks = 2000;

constexpr std::array<std::string_view, 15> kWorthTracing = {
    "Launch",    "Memcpy",       "Memset",         "Synchronize", "WaitEvent",
    "WaitValue", "EventRecord",  "Malloc",         "Free",        "MemAlloc",
    "HostAlloc", "HostRegister", "HostUnregister", "Prefetch",    "LoadData"};

// Suffixes of a call's name: a version, or the variant with a default stream per thread.
bool is_variant(std::string_view ending) {
  if (ending == "ptsz" || ending == "ptds") return true;
  return ending.size() > 1 && ending[0] == 'v' &&
         std::all_of(ending.begin() + 1, ending.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string_view plain_call_name(std::string_view name) {
  while (true) {
    const std::size_t mark = name.rfind('_');
    if (mark == std::string_view::npos || !is_variant(name.substr(mark + 1))) return name;
    name = name.substr(0, mark);
  }
}

bool is_worth_tracing(std::string_view plain_name) {
  const auto has = [&](std::string_view word) {
    return plain_name.find(word) != std::string_view::npos;
  };
  // Calls that build or inspect a graph do not run it.
  if (has("Graph")) return has("GraphLaunch") || has("GraphInstantiate");
  if (has("Attribute") || has("Query")) return false;
  return std::any_of(kWorthTracing.begin(), kWorthTracing.end(), has);
}

std::optional<SyncKind> wait_of(std::string_view plain_name) {
  const auto has = [&](std::string_view word) {
    return plain_name.find(word) != std::string_view::npos;
  };
  if (has("StreamWaitEvent")) return SyncKind::stream_waits_event;
  if (!has("Synchronize")) return std::nullopt;
  if (has("Event")) return SyncKind::event;
  return has("Stream") ? SyncKind::stream : SyncKind::context;
}

const std::optional<TracedCall>& CallNames::find(CallDomain domain, std::uint32_t callback) {
  const std::uint64_t key = (static_cast<std::uint64_t>(domain) << 32) | callback;
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_[key] = look_up(domain, callback);
}

std::optional<TracedCall> CallNames::look_up(CallDomain domain, std::uint32_t callback) {
  const char* name = nullptr;
  if (api_.callback_name(static_cast<std::uint32_t>(domain), callback, &name) != kCuptiSuccess ||
      name == nullptr) {
    return std::nullopt;
  }
  const std::string_view plain = plain_call_name(name);
  if (!is_worth_tracing(plain)) return std::nullopt;
  return TracedCall{encoder_.name(plain), wait_of(plain)};
}

CuptiResult enable_calls(const CuptiApi& api, CallDomain domain) {
  const bool is_runtime = domain == CallDomain::runtime;
  const auto enable_one = is_runtime ? api.enable_runtime_call : api.enable_driver_call;
  if (enable_one == nullptr) {
    return api.enable(static_cast<std::uint32_t>(is_runtime ? ActivityKind::runtime_call
                                                            : ActivityKind::driver_call));
  }
  for (std::uint32_t callback = 1; callback < kMostCallbacks; ++callback) {
    const char* name = nullptr;
    if (api.callback_name(static_cast<std::uint32_t>(domain), callback, &name) != kCuptiSuccess ||
        name == nullptr || !is_worth_tracing(plain_call_name(name))) {
      continue;
    }
    const CuptiResult result = enable_one(callback, 1);
    if (result != kCuptiSuccess) return result;
  }
  return kCuptiSuccess;
}

}  // namespace tacho
