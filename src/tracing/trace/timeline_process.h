#pragma once

#include <cstdint>

#include "base/result.h"
#include "tracing/trace/timeline.h"
#include "tracing/trace/timeline_events.h"
#include "tracing/trace/timeline_window.h"

namespace tacho {

// Writes the events of one process, the `number`-th of a timeline that begins at Unix time
// `zero_ns`.
Result<void> write_process(const TimelineProcess& process, const TimelineWindow& window,
                           std::int64_t zero_ns, std::uint64_t number, TimelineEvents& events);

}  // namespace tacho
