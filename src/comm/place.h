#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace tacho {

// One process's place in a job of several.
struct Place {
  int rank = 0;
  int size = 1;        // of the world
  int local_rank = 0;  // among the ranks of this node
  int local_size = 1;
  int node = 0;
  std::string host = "127.0.0.1";  // where rank 0 listens
  std::uint16_t port = 0;
  std::optional<int> listen_fd = {};  // rank 0: already bound and listening
  std::string secret = {};            // of the job, comm/job_secret.h; "": none was given
  bool operator==(const Place&) const = default;
};

// Looks up a variable; an empty one counts as not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

// What torchrun, or Slurm's srun, says of this process. Nothing: it is alone. An Error names the
// variable that is missing or makes no sense.
Result<std::optional<Place>> place_from_environment(const Environment& environment);

// The variables a worker is started with: place_from_environment() makes the same Place of them.
std::vector<std::pair<std::string, std::string>> environment_of(const Place& place);

// Of the cores this process may use, those that are for this rank and not for its neighbours.
std::int64_t cores_of_rank(std::int64_t cores, const Place& place, const Environment& environment);

}  // namespace tacho
