#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "predict/accuracy/curve.h"

namespace tacho {

// Reads the learning curves of a file of 'tacho sweep export', or of several concatenated ones.
// Runs on synthetic data, of part of an epoch, and with other outcomes than ok are ignored.
Result<std::vector<Curve>> read_corpus_curves(std::string_view csv);

// Returns the curves of data/corpus.
std::vector<Curve> corpus_curves();

}  // namespace tacho
