#pragma once

#include <string>

#include "tracing/inject/cupti_api.h"

namespace tacho {

// The first release with the layout of activity_layout.h: CUDA 12.0.
inline constexpr std::uint32_t kOldestCupti = 19;

// Enables the activities that Tacho traces; `request` and `complete` handle the buffers. Returns ""
// or the reason for a failure with the fix; then all activities are disabled again.
std::string begin_activities(const CuptiApi& api, RequestBuffer request, CompleteBuffer complete);
void end_activities(const CuptiApi& api);

// Returns "" or "this CUPTI … is older than …".
std::string version_problem(std::uint32_t version);

}  // namespace tacho
