#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "predict/accuracy/curve.h"

namespace tacho {

// Reads curves in the format of data/catalog/curves.csv. Strict: epochs ascend, accuracies are
// within 0 … 1.
Result<std::vector<Curve>> read_curves(std::string_view csv);

// Reads results in the format of data/catalog/final_accuracies.csv, as curves with one point; its
// epoch is 0 if the length of the training is unknown.
Result<std::vector<Curve>> read_results(std::string_view csv);

// Return what comes with Tacho.
std::vector<Curve> published_curves();
std::vector<Curve> published_results();

}  // namespace tacho
