#pragma once

#include <optional>
#include <span>

#include "report/advice.h"
#include "report/situation.h"

namespace tacho {

// Looks for one reason of slowness; nothing where it is not there or not worth a change.
using AdviceRule = std::optional<Advice> (*)(const Situation&);

std::span<const AdviceRule> gpu_rules();   // from the GPU's trace
std::span<const AdviceRule> host_rules();  // from the processors, memory, disks and operators

// Less than this share of a step is not worth a change.
inline constexpr double kWorthwhile = 0.03;

}  // namespace tacho
