#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tacho {

// The number of a training step in a line of a program's output.
struct StepNumber {
  std::string series;  // equal for lines of the same kind, such as those of one progress bar
  std::int64_t step = 0;
  bool of_training = false;  // counts the steps of a training, not the batches of an epoch
  bool operator==(const StepNumber&) const = default;
};

// Finds the number of a step in a line without colours:
//
//   step 120, loss 0.412              also iter 120, Iteration: 120/500, batch=120
//   Epoch: [2][ 120/5005]  Time 0.1   the batch of an epoch
//   12%|#  | 120/1000 [00:12<01:28, 9.9it/s]    a progress bar of tqdm
std::optional<StepNumber> step_number_of(std::string_view line);

}  // namespace tacho
