#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "learn/curve.h"

namespace tacho {

// Curves as data/catalog/curves.csv holds them. Strict: epochs ascend, accuracies lie within 0 … 1.
Result<std::vector<Curve>> read_curves(std::string_view csv);

// Those that Tacho ships with.
std::vector<Curve> published_curves();

}  // namespace tacho
