#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sweep/grid.h"
#include "sweep/plan.h"

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

// Reads --batch only and rejects values below 1.
inline PlanReaders some_readers() {
  PlanReaders readers;
  readers.training = [](std::span<const std::string> words) -> Result<RunOrder> {
    RunOrder order;
    for (const std::string& word : words) {
      if (word.starts_with("--batch=")) order.spec.batch = std::stoll(word.substr(8));
    }
    if (order.spec.batch < 1) return Error{ErrorCode::usage, "--batch must be at least 1"};
    return order;
  };
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
