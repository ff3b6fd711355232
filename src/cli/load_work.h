#pragma once

#include <filesystem>
#include <string>

#include "cli/context.h"
#include "cli/load_options.h"

namespace tacho {

struct MadeLoad {
  FinishedRun run;
  std::string more;  // printed with the run's report
};

// Executes 'tacho load': tests the server and stores the run under `key`.
Result<MadeLoad> make_load(const LoadOptions& o, const std::string& key, RunStore& store,
                           const std::filesystem::path& home, Context& context);

}  // namespace tacho
