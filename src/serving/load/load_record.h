#pragma once

#include <vector>

#include "core/record/event.h"
#include "serving/load/measure.h"
#include "serving/load/slo_search.h"

namespace tacho::load {

// The metrics of a test for its record, with a remark if they need care.
LoadMeasured summary_of(const Measured& measured);

// The test's windows, in order, as figures: the second at which each ends, requests per second,
// latencies.
std::vector<FiguresSeen> series_of(const Measured& measured);

// The tested rates, in order.
std::vector<FiguresSeen> series_of(const Search& search);

}  // namespace tacho::load
