#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/launcher.h"

namespace tacho {

struct SlurmOptions {
  std::vector<std::string> passed_on;  // "--partition=gpu"
  bool requeue = true;                 // tasks whose node fails
  // Slurm is not asked more often; ends are seen at once, by the batch's folder.
  std::chrono::milliseconds between_questions{5000};
  std::string tacho;  // the program on the nodes; "": this one's own path
};

// An error names the option that is unknown or makes no sense.
Result<SlurmOptions> slurm_options(const std::map<std::string, std::string>& options);

// What a batch asks of sbatch beside them; an option that was passed on goes before.
std::vector<std::string> needs_as_options(const Resources& needs,
                                          const std::optional<Seconds>& limit,
                                          const SlurmOptions& options);

}  // namespace tacho
