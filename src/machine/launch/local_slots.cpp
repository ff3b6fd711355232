#include "machine/launch/local_slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/units.h"

namespace tacho {
namespace {

constexpr double kRounding = 1e-9;  // so that ten tenths fit into one

std::size_t whole_cores(const Resources& needs) {
  return static_cast<std::size_t>(std::ceil(std::max(needs.cores - kRounding, kRounding)));
}

Error too_much(const std::string& what, const std::string& has) {
  return {ErrorCode::usage,
          fmt::format("a task that needs {} never fits here: {}; request less, or use another "
                      "launcher",
                      what, has)};
}

}  // namespace

LocalSlots::LocalSlots(LocalMachine machine)
    : machine_(std::move(machine)),
      used_(machine_.cores.size(), 0.0),
      memory_left_(machine_.memory.count > 0 ? machine_.memory.count
                                             : std::numeric_limits<std::int64_t>::max()),
      gpu_taken_(machine_.gpus.size(), false) {}

// Prefers cores that are partly in use, so that whole ones remain free for tasks that need them.
std::vector<std::size_t> LocalSlots::free_cores(std::size_t count, double share) const {
  std::vector<std::size_t> fitting;
  for (std::size_t i = 0; i < used_.size(); ++i) {
    if (used_[i] + share <= 1 + kRounding) fitting.push_back(i);
  }
  std::stable_sort(fitting.begin(), fitting.end(),
                   [this](std::size_t a, std::size_t b) { return used_[a] > used_[b]; });
  if (fitting.size() < count) return {};
  fitting.resize(count);
  return fitting;
}

std::optional<Slot> LocalSlots::take(const Resources& needs) {
  Slot slot{.share = std::min(needs.cores, 1.0), .memory_bytes = needs.memory_bytes.value_or(0)};
  if (slot.memory_bytes > memory_left_) return std::nullopt;
  for (std::size_t i = 0; i < gpu_taken_.size(); ++i) {
    if (slot.gpus.size() == static_cast<std::size_t>(needs.gpus)) break;
    if (!gpu_taken_[i]) slot.gpus.push_back(i);
  }
  if (slot.gpus.size() < static_cast<std::size_t>(needs.gpus)) return std::nullopt;
  slot.cores = free_cores(whole_cores(needs), slot.share);
  if (slot.cores.empty()) return std::nullopt;

  for (const std::size_t core : slot.cores) used_[core] += slot.share;
  for (const std::size_t gpu : slot.gpus) gpu_taken_[gpu] = true;
  memory_left_ -= slot.memory_bytes;
  return slot;
}

void LocalSlots::release(const Slot& slot) {
  for (const std::size_t core : slot.cores) {
    used_[core] -= slot.share;
    if (used_[core] < kRounding) used_[core] = 0;  // corrects rounding
  }
  for (const std::size_t gpu : slot.gpus) gpu_taken_[gpu] = false;
  memory_left_ += slot.memory_bytes;
}

Result<void> LocalSlots::could_ever_fit(const Resources& needs) const {
  const auto count = [](std::size_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  if (whole_cores(needs) > machine_.cores.size()) {
    return too_much(count(whole_cores(needs), "core"),
                    "there are " + count(machine_.cores.size(), "core"));
  }
  if (static_cast<std::size_t>(needs.gpus) > machine_.gpus.size()) {
    return too_much(count(static_cast<std::size_t>(needs.gpus), "GPU"),
                    "there are " + count(machine_.gpus.size(), "GPU"));
  }
  if (machine_.memory.count > 0 && needs.memory_bytes.value_or(0) > machine_.memory.count) {
    return too_much(human(Bytes{*needs.memory_bytes}), "there are " + human(machine_.memory));
  }
  return {};
}

std::vector<int> LocalSlots::cpus_of(const Slot& slot) const {
  std::vector<int> cpus;
  for (const std::size_t core : slot.cores) {
    cpus.insert(cpus.end(), machine_.cores[core].begin(), machine_.cores[core].end());
  }
  return cpus;
}

std::string LocalSlots::gpus_of(const Slot& slot) const {
  std::string list;
  for (const std::size_t gpu : slot.gpus) list += (list.empty() ? "" : ",") + machine_.gpus[gpu];
  return list;
}

}  // namespace tacho
