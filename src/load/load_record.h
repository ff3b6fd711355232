#pragma once

#include <vector>

#include "load/measure.h"
#include "load/slo_search.h"
#include "record/event.h"

namespace tacho::load {

// The metrics of a test for its record, with a remark if they need care.
LoadMeasured summary_of(const Measured& measured);

// The test's windows, in order, as figures: the second at which each ends, requests per second,
// latencies.
std::vector<FiguresSeen> series_of(const Measured& measured);

// The tested rates, in order.
std::vector<FiguresSeen> series_of(const Search& search);

}  // namespace tacho::load
