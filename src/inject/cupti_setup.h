#pragma once

#include <string>

#include "inject/cupti_api.h"

namespace tacho {

// The first release that writes records as activity_layout.h reads them: CUDA 12.0.
inline constexpr std::uint32_t kOldestCupti = 19;

// Turns on the activities Tacho traces, with their buffers by `request` and `complete`. Answers ""
// or why not, with the fix; then they are off again.
std::string begin_activities(const CuptiApi& api, RequestBuffer request, CompleteBuffer complete);
void end_activities(const CuptiApi& api);

// "this CUPTI … is older than …", or "".
std::string objection_to_version(std::uint32_t version);

}  // namespace tacho
