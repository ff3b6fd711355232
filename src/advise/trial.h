#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tacho {

// One run that could be made, or was: its options as they were written, and what it cost. Costs are
// above 0, and less is better: seconds, dollars, the share of wrong answers.
struct Trial {
  std::vector<std::pair<std::string, std::string>> options;
  std::optional<double> cost = {};      // as measured
  std::optional<double> foretold = {};  // by a predictor, before
  bool under_way = false;               // its cost will be known without being asked for
};

}  // namespace tacho
