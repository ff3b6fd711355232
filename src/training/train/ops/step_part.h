#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "core/record/op_trace.h"
#include "training/train/torch_api.h"

namespace tacho {

// Marks torch calls of this thread during its lifetime as one part of a step, for observers of
// torch; costs nothing without observers.
class StepPart {
 public:
  explicit StepPart(OpPhase phase) : shown_(at::RecordScope::USER_SCOPE) {
    if (shown_.isActive()) shown_.before(name_of(phase), c10::ArrayRef<const c10::IValue>());
  }

  // Returns nullopt for other names.
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
