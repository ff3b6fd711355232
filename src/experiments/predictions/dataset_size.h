#pragma once

#include <string_view>

#include "base/result.h"

namespace tacho {

struct DatasetSize {
  double train = 0;
  double eval = 0;
};

// Returns the published number of samples; fails with ErrorCode::usage for an unknown dataset or
// one of any size.
Result<DatasetSize> dataset_size(std::string_view name);

}  // namespace tacho
