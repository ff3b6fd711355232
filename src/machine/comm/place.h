#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace tacho {

// The place of one process in a job of several.
struct Place {
  int rank = 0;
  int size = 1;        // number of ranks
  int local_rank = 0;  // among the ranks of this node
  int local_size = 1;
  int node = 0;
  std::string host = "127.0.0.1";  // where rank 0 listens
  std::uint16_t port = 0;
  std::optional<int> listen_fd = {};  // rank 0: already bound and listening
  std::string secret = {};            // job secret, see machine/comm/job_secret.h; "" if none
  bool operator==(const Place&) const = default;
};

// Looks up a variable; an empty one counts as not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

// Reads the variables of torchrun or Slurm's srun. Returns nothing if neither started this process.
// An Error names the missing or invalid variable.
Result<std::optional<Place>> place_from_environment(const Environment& environment);

// Returns the environment of a worker, from which place_from_environment() reads the same Place.
std::vector<std::pair<std::string, std::string>> environment_of(const Place& place);

// Made in the folder of the ranks whose record another tacho keeps, once all ranks have connected.
inline constexpr const char* kRanksMetFile = "ranks-met";

// Returns this rank's share of the cores that the process may use.
std::int64_t cores_of_rank(std::int64_t cores, const Place& place, const Environment& environment);

}  // namespace tacho
