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

// What was typed of where a run lives, and how long it may take.
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

// An image that is a file is named from here on by its whole path; so are binds.
Result<EnvironmentSpec> environment_of(const EnvironmentOptions& options);
// In seconds; nothing where none was asked for.
Result<std::optional<double>> time_limit_of(const EnvironmentOptions& options);

}  // namespace tacho
