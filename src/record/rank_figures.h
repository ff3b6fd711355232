#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/run_record.h"

namespace tacho {

// What exchanging gradients cost, by the steady steps of which every rank told. Of rank 0, since
// the run's step times are its own too.
struct CommFigures {
  double seconds = 0;               // a step, median
  double hidden_share = 0;          // of that time, behind the backward pass
  double wire_bytes = 0;            // sent a step, mean
  double payload_bytes = 0;         // gradients a step, mean
  double bytes_per_second = 0;      // sent while something was on its way
  double slowest_wait_seconds = 0;  // a step, median: what the others wait for the slowest rank
  bool operator==(const CommFigures&) const = default;
};
// Nothing where no gradients travelled.
std::optional<CommFigures> comm_figures_of(const RunRecord& record);

// Medians over the same steps.
struct RankFigures {
  std::int64_t rank = 0;
  double step_seconds = 0;
  double input_seconds = 0;
  double backward_seconds = 0;
  double comm_seconds = 0;
  double exposed_seconds = 0;
  double wire_bytes = 0;  // a step, mean
};
std::vector<RankFigures> rank_figures_of(const RunRecord& record);

// The rank that holds up the others. All leave an exchange together, so it is the one that waits
// least in it.
struct Straggler {
  std::int64_t rank = 0;
  std::string host;
  double seconds = 0;         // the others wait for it a step, median
  double share_of_steps = 0;  // in which it was the slowest
  bool operator==(const Straggler&) const = default;
};
// Nothing where the ranks take turns in being the slowest, or nobody waits to speak of: less than
// a hundredth of the step.
std::optional<Straggler> straggler_of(const RunRecord& record);

}  // namespace tacho
