#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "base/result.h"
#include "experiments/trials/trial_change.h"

namespace tacho {

// When a trial of a PyTorch program ends: after `steps`, or, if that is 0, when `measured` seconds
// of steps are known; after `most` in any case.
struct TrialLength {
  std::int64_t steps = 0;
  double measured = 3;
  double most = 60;
};

// Writes the files that Python reads at its start (python/trial) to an existing folder.
Result<void> write_trial_hook(const std::filesystem::path& folder);

// Returns the environment variables of a trial with these changes.
std::map<std::string, std::string> trial_variables(const std::filesystem::path& hook,
                                                   std::span<const TrialChange> changes,
                                                   std::int64_t seed, const TrialLength& length);

}  // namespace tacho
