#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "predict/accuracy/epoch_transfer.h"

namespace tacho {

// Errors of the epochs of models that were held out of the trainings on a dataset.
struct TransferScore {
  std::string data;  // "all" for all datasets
  std::size_t models = 0;
  double median_factor = 0;  // predicted over measured, or its inverse
  double coverage = 0;       // of 90 % intervals, measured without the held-out model
};

// One score per dataset and one for all; models have the same weight.
std::vector<TransferScore> evaluate_transfer(std::span<const Curve> curves);

Json to_json(const std::vector<TransferScore>& scores);

}  // namespace tacho
