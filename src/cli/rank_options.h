#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/record/run_options.h"
#include "experiments/runner/launch.h"

namespace CLI {
class App;
}

namespace tacho {

// The place of this machine in a job on several machines. Not part of the run: it differs between
// machines and between attempts.
struct RankOptions {
  std::optional<std::int64_t> node_rank;
  std::string rendezvous;
  std::string job_secret_file;
};

void declare(CLI::App& command, RankOptions& options);

// Returns true if an option says where ranks run. A resumed run may change these options alone.
bool places_ranks(std::string_view option);

// `given` is the place that torchrun or srun assigned to this process.
Result<Standing> standing_of(const RankOptions& options, const RunSettings& settings,
                             const std::optional<Place>& given);

}  // namespace tacho
