#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tacho {

// A possible or finished run: its options as written and its cost. Costs are positive and less is
// better: seconds, dollars, error rate.
struct Trial {
  std::vector<std::pair<std::string, std::string>> options;
  std::optional<double> cost = {};       // measured
  std::optional<double> predicted = {};  // by a predictor, before the run
  bool under_way = false;                // running, so its cost will be known soon
};

}  // namespace tacho
