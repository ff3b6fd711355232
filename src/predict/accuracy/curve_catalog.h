#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "predict/accuracy/curve.h"

namespace tacho {

// Reads curves in the format of data/catalog/curves.csv. Strict: epochs ascend, accuracies are
// within 0 … 1.
Result<std::vector<Curve>> read_curves(std::string_view csv);

// Returns the curves that come with Tacho.
std::vector<Curve> published_curves();

}  // namespace tacho
