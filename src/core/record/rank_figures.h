#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/record/run_record.h"

namespace tacho {

// Cost of exchanging gradients, over the steady steps reported by every rank. Of rank 0, like the
// step times of the run.
struct CommFigures {
  double seconds = 0;               // per step, median
  double hidden_share = 0;          // share of that time behind the backward pass
  double wire_bytes = 0;            // sent per step, mean
  double payload_bytes = 0;         // gradients per step, mean
  double bytes_per_second = 0;      // sent per second of communication
  double slowest_wait_seconds = 0;  // wait of the others for the slowest rank, per step, median
  bool operator==(const CommFigures&) const = default;
};
// Returns nothing if no gradients were exchanged.
std::optional<CommFigures> comm_figures_of(const RunRecord& record);

// Medians over the same steps as CommFigures.
struct RankFigures {
  std::int64_t rank = 0;
  double step_seconds = 0;
  double input_seconds = 0;
  double backward_seconds = 0;
  double comm_seconds = 0;
  double exposed_seconds = 0;
  double wire_bytes = 0;  // per step, mean
};
std::vector<RankFigures> rank_figures_of(const RunRecord& record);

// The rank that delays the others. All ranks leave an exchange together, so it is the one that
// waits least.
struct Straggler {
  std::int64_t rank = 0;
  std::string host;
  double seconds = 0;         // wait of the others for it, per step, median
  double share_of_steps = 0;  // share of the steps in which it was the slowest
  bool operator==(const Straggler&) const = default;
};
// Returns nothing if no rank is the slowest in most steps, or if the wait is below 1 % of the step.
std::optional<Straggler> straggler_of(const RunRecord& record);

}  // namespace tacho
