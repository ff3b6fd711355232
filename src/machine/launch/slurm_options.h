#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/launch/launcher.h"

namespace tacho {

struct SlurmOptions {
  std::vector<std::string> passed_on;  // "--partition=gpu"
  bool requeue = true;                 // tasks whose node fails
  // Time between queries of Slurm; the end of a task is seen at once, in the batch's folder.
  std::chrono::milliseconds poll_interval{5000};
  std::string tacho;  // path of tacho on the nodes; "": that of this program
};

// The error names an option that is unknown or makes no sense.
Result<SlurmOptions> slurm_options(const std::map<std::string, std::string>& options);

// Returns the sbatch options for the needs of a batch; options in `passed_on` take precedence.
std::vector<std::string> needs_as_options(const Resources& needs,
                                          const std::optional<Seconds>& limit,
                                          const SlurmOptions& options);

}  // namespace tacho
