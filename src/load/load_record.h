#pragma once

#include <vector>

#include "load/measure.h"
#include "load/slo_search.h"
#include "record/event.h"

namespace tacho::load {

// What a record keeps of a test: its figures, and a remark where they need care.
LoadMeasured summary_of(const Measured& measured);

// The test's windows, in order, as figures: the second each ends at, requests a second, times.
std::vector<FiguresSeen> series_of(const Measured& measured);

// The rates that were tried, in that order.
std::vector<FiguresSeen> series_of(const Search& search);

}  // namespace tacho::load
