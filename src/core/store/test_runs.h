#pragma once

#include <string>
#include <utility>

#include "core/record/run_record.h"

namespace tacho {

// A small finished run for tests: one epoch of two steps, top-1 as given.
inline RunRecord finished_run(std::string key, double top1 = 0.5) {
  RunOrder order{.key = std::move(key), .created_at = 1000};
  order.spec.model = "lenet5";
  order.spec.data = "fashion-mnist";
  RunEnded end;
  end.wall_seconds = 6;
  return fold(std::move(order),
              std::vector<Event>{
                  {1, RunStarted{}},
                  {2, ModelReady{7, 0.1}},
                  {3, StepsDone{.seconds = {0.5, 0.25}, .input_seconds = {0, 0}, .loss = {2, 1}}},
                  {4, EpochDone{.top1 = top1}},
                  {7, end}});
}

}  // namespace tacho
