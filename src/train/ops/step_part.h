#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "record/op_trace.h"
#include "train/torch_api.h"

namespace tacho {

// While one lives, what this thread asks of torch belongs to this part of a step. Told to whoever
// observes torch; costs nothing where nobody does.
class StepPart {
 public:
  explicit StepPart(OpPhase phase) : shown_(at::RecordScope::USER_SCOPE) {
    if (shown_.isActive()) shown_.before(name_of(phase), c10::ArrayRef<const c10::IValue>());
  }

  // Nothing if the name is none of ours.
  static std::optional<OpPhase> phase_of(std::string_view name) {
    for (const auto& [phase, known] : kParts) {
      if (known == name) return phase;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::array<std::pair<OpPhase, const char*>, 4> kParts = {
      {{OpPhase::forward, "tacho::forward"},
       {OpPhase::backward, "tacho::backward"},
       {OpPhase::optimizer, "tacho::optimizer"},
       {OpPhase::other, "tacho::other"}}};
  static const char* name_of(OpPhase phase) {
    return kParts[static_cast<std::size_t>(phase)].second;
  }

  at::RecordFunction shown_;
};

}  // namespace tacho
