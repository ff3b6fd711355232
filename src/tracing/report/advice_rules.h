#pragma once

#include <optional>
#include <span>

#include "tracing/report/advice.h"
#include "tracing/report/situation.h"

namespace tacho {

// Looks for one cause of slowness. Returns nullopt if it does not apply.
using AdviceRule = std::optional<Advice> (*)(const Situation&);

std::span<const AdviceRule> gpu_rules();   // from the GPU's trace
std::span<const AdviceRule> host_rules();  // from CPU, memory, disk and operator measurements

// Advice that saves a smaller share of a step is not shown.
inline constexpr double kWorthwhile = 0.03;

}  // namespace tacho
