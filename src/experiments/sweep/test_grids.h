#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/sweep/grid.h"
#include "experiments/sweep/plan.h"

namespace tacho {

// Option names for the grids of tests.
inline const std::vector<std::string>& some_options() {
  static const std::vector<std::string> names = {"batch", "data",  "lr",    "model",
                                                 "seed",  "steps", "stock", "threads"};
  return names;
}

inline Result<Grid> grid_of(std::string_view text) {
  return read_grid(text, "grid.yaml", some_options());
}

inline PlanReaders some_readers() {
  PlanReaders readers;
  readers.program = [](const std::vector<std::string>& argv,
                       const Configuration&) -> Result<RunOrder> {
    RunOrder order;
    order.command.emplace().argv = argv;
    return order;
  };
  readers.cost = [](const RunOrder& order) -> Result<double> { return order.spec.batch; };
  return readers;
}

}  // namespace tacho
