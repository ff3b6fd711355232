#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/environment_spec.h"
#include "record/run_folder.h"

namespace CLI {
class App;
}

namespace tacho {

// Options that choose where a run executes and how long it may take.
struct EnvironmentOptions {
  std::string environment = "bare";
  std::optional<double> cpus;
  std::string cpuset;
  std::string memory;
  std::string gpus;
  std::vector<std::string> binds;
  std::string shared_memory;
  std::string network = "host";
  std::vector<std::string> variables;
  std::string time_limit;
};

void declare(CLI::App& command, EnvironmentOptions& options);

// Makes the paths of image files and of mounts absolute.
Result<EnvironmentSpec> environment_of(const EnvironmentOptions& options);
// Returns seconds, or nothing if there is no limit.
Result<std::optional<double>> time_limit_of(const EnvironmentOptions& options);

}  // namespace tacho
