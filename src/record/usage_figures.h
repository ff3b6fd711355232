#pragma once

#include <map>
#include <string>

#include "record/usage_summary.h"

namespace tacho {

// What of a run's use is kept beside its other figures, by the key of its metric.
std::map<std::string, double> figures_of(const UsageSummary& usage);

}  // namespace tacho
