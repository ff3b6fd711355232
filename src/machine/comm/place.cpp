#include "machine/comm/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/parse_number.h"
#include "machine/comm/address.h"
#include "machine/comm/job_secret.h"
#include "machine/comm/slurm_lists.h"

namespace tacho {
namespace {

// Derived ports are in this range: above the well-known services and below 32768, where Linux
// starts to allocate ports for outgoing connections.
constexpr std::uint64_t kFirstDerivedPort = 16384;
constexpr std::uint64_t kDerivedPorts = 16384;

std::uint16_t derived_port(std::uint64_t from) {
  return static_cast<std::uint16_t>(kFirstDerivedPort + from % kDerivedPorts);
}

// torchrun's agent listens on MASTER_PORT with its own protocol, so all ranks must derive another
// port without communicating. The next port is what people use for a second job on a machine, so
// this adds half the derived range. The result always differs from `port`, and neighbouring ports
// get different results.
std::uint16_t port_next_to_agent(std::uint16_t port) {
  return derived_port(port + kDerivedPorts / 2);
}

// Jobs that share a node have similar ids: 1024 consecutive jobs with 16 steps each get different
// ports.
std::uint16_t port_of_step(std::int64_t job, std::int64_t step) {
  return derived_port(static_cast<std::uint64_t>(job) * 16 + static_cast<std::uint64_t>(step));
}

class Variables {
 public:
  explicit Variables(const Environment& environment) : environment_(environment) {}

  [[nodiscard]] std::optional<std::string> text(const std::string& name) const {
    auto value = environment_(name);
    if (value && value->empty()) return std::nullopt;
    return value;
  }
  [[nodiscard]] bool has(const std::string& name) const { return text(name).has_value(); }

  [[nodiscard]] Result<std::string> required(const std::string& name, const char* because) const {
    auto value = text(name);
    if (value) return *std::move(value);
    return Error{ErrorCode::usage, fmt::format("{} is not set, but {}", name, because)};
  }

  // Accepts `low` to `limit` - 1.
  [[nodiscard]] Result<std::int64_t> wide_number(const std::string& name, std::int64_t low,
                                                 std::int64_t limit, const char* because) const {
    TACHO_TRY(word, required(name, because));
    const auto value = parse_number<std::int64_t>(word);
    if (value && *value >= low && *value < limit) return *value;
    return Error{ErrorCode::usage,
                 fmt::format("{}={}: must be a number from {} to {}", name, word, low, limit - 1)};
  }
  [[nodiscard]] Result<int> number(const std::string& name, std::int64_t low, std::int64_t limit,
                                   const char* because) const {
    TACHO_TRY(value, wide_number(name, low, limit, because));
    return static_cast<int>(value);
  }
  [[nodiscard]] Result<int> number_or(int otherwise, const std::string& name, std::int64_t low,
                                      std::int64_t limit) const {
    if (!has(name)) return otherwise;
    return number(name, low, limit, "");
  }

  [[nodiscard]] Result<std::uint16_t> port(const std::string& name, const char* because) const {
    TACHO_TRY(word, required(name, because));
    return parse_port(word).in(name);
  }

 private:
  const Environment& environment_;
};

constexpr std::int64_t kMostRanks = 1 << 20;
constexpr std::int64_t kMostDescriptors = std::numeric_limits<int>::max();
constexpr const char* kLauncherSetsAll =
    "RANK or WORLD_SIZE is; launchers set both: unset the other to train with one process";
constexpr const char* kRanksMeet =
    "all ranks connect to it; set MASTER_ADDR and MASTER_PORT to rank 0's machine and a free port";

Result<Place> place_of_torchrun(const Variables& variables) {
  Place place;
  TACHO_TRY(size, variables.number("WORLD_SIZE", 1, kMostRanks, kLauncherSetsAll));
  TACHO_TRY(rank, variables.number("RANK", 0, size, kLauncherSetsAll));
  TACHO_TRY(local_size, variables.number_or(1, "LOCAL_WORLD_SIZE", 1, size + 1));
  TACHO_TRY(local_rank, variables.number_or(rank % local_size, "LOCAL_RANK", 0, local_size));
  TACHO_TRY(node, variables.number_or(rank / local_size, "GROUP_RANK", 0, size));
  place.rank = rank;
  place.size = size;
  place.local_size = local_size;
  place.local_rank = local_rank;
  place.node = node;
  if (rank == 0 && variables.has("TACHO_RENDEZVOUS_FD")) {
    TACHO_TRY(descriptor, variables.number("TACHO_RENDEZVOUS_FD", 0, kMostDescriptors, ""));
    place.listen_fd = descriptor;
  }
  if (size == 1 && !variables.has("MASTER_PORT")) return place;  // no other ranks
  TACHO_TRY(host, variables.required("MASTER_ADDR", kRanksMeet));
  TACHO_TRY(port, variables.port("MASTER_PORT", kRanksMeet));
  place.host = host;
  const bool agent_listens = variables.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  place.port = agent_listens ? port_next_to_agent(port) : port;
  return place;
}

// Slurm sets its variables in every process of an allocation. A batch script has SLURM_PROCID=0
// and, if it requested tasks, SLURM_NTASKS, but is a single process. Only srun sets
// SLURM_STEP_NUM_TASKS, which identifies a task of a step.
bool is_one_of_several_tasks(const Variables& variables) {
  const auto tasks = variables.text("SLURM_STEP_NUM_TASKS");
  return tasks && *tasks != "1" && variables.has("SLURM_PROCID");
}

// Returns the number of tasks on this node, from the first variable that is set.
Result<int> local_size_of_task(const Variables& variables, int node, int size) {
  for (const char* name : {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}) {
    const auto list = variables.text(name);
    if (!list) continue;
    TACHO_TRY(tasks, tasks_on_node(*list, node).in(name));
    if (tasks >= 1 && tasks <= size) return static_cast<int>(tasks);
    return Error{ErrorCode::usage, fmt::format("{}={}: {} tasks on node {}, but {} in total", name,
                                               *list, tasks, node, size)};
  }
  return variables.number("SLURM_NTASKS_PER_NODE", 1, size + 1, "this is a task of a Slurm step");
}

// Task 0 runs on the first node of the step. On a single machine loopback always works, even if
// the node's Slurm name cannot be resolved.
Result<std::string> first_host(const Variables& variables) {
  for (const char* name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"}) {
    const auto list = variables.text(name);
    if (!list) continue;
    TACHO_TRY(hosts, expand_hosts(*list).in(name));
    return hosts.size() == 1 ? "127.0.0.1" : hosts.front();
  }
  return Error{ErrorCode::usage,
               "SLURM_STEP_NODELIST is not set, so the address of rank 0 is unknown; set "
               "MASTER_ADDR to its machine"};
}

Result<Place> place_of_slurm(const Variables& variables) {
  constexpr const char* kTask = "SLURM_STEP_NUM_TASKS is, so this is a task of a Slurm step";
  Place place;
  TACHO_TRY(size, variables.number("SLURM_STEP_NUM_TASKS", 1, kMostRanks, kTask));
  TACHO_TRY(rank, variables.number("SLURM_PROCID", 0, size, kTask));
  TACHO_TRY(node, variables.number("SLURM_NODEID", 0, size, kTask));
  TACHO_TRY(local_size, local_size_of_task(variables, node, size));
  TACHO_TRY(local_rank, variables.number("SLURM_LOCALID", 0, local_size, kTask));
  place.rank = rank;
  place.size = size;
  place.node = node;
  place.local_size = local_size;
  place.local_rank = local_rank;
  if (const auto host = variables.text("MASTER_ADDR")) {
    place.host = *host;
  } else {
    TACHO_TRY(first, first_host(variables));
    place.host = first;
  }
  if (variables.has("MASTER_PORT")) {
    TACHO_TRY(port, variables.port("MASTER_PORT", ""));
    place.port = port;
  } else {
    constexpr std::int64_t kMostIds = std::int64_t{1} << 32;
    TACHO_TRY(job, variables.wide_number("SLURM_JOB_ID", 0, kMostIds, kTask));
    TACHO_TRY(step, variables.wide_number("SLURM_STEP_ID", 0, kMostIds, kTask));
    place.port = port_of_step(job, step);
  }
  return place;
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

Result<std::optional<Place>> place_from_environment(const Environment& environment) {
  const Variables variables(environment);
  // torchrun first: it may run inside a Slurm step.
  const bool torchrun = variables.has("RANK") || variables.has("WORLD_SIZE");
  if (!torchrun && !is_one_of_several_tasks(variables)) return std::optional<Place>{};
  TACHO_TRY(place, torchrun ? place_of_torchrun(variables) : place_of_slurm(variables));
  if (const auto secret = variables.text(kJobSecretVariable)) {
    TACHO_TRY(parsed, parse_job_secret(*secret).in(kJobSecretVariable));
    place.secret = parsed;
  }
  return std::optional<Place>(std::move(place));
}

std::vector<std::pair<std::string, std::string>> environment_of(const Place& place) {
  std::vector<std::pair<std::string, std::string>> variables{
      {"RANK", std::to_string(place.rank)},
      {"WORLD_SIZE", std::to_string(place.size)},
      {"LOCAL_RANK", std::to_string(place.local_rank)},
      {"LOCAL_WORLD_SIZE", std::to_string(place.local_size)},
      {"GROUP_RANK", std::to_string(place.node)},
      // MASTER_PORT below is final; the worker must not derive another port from it.
      {"TORCHELASTIC_USE_AGENT_STORE", "False"},
  };
  if (place.port != 0) {
    variables.emplace_back("MASTER_ADDR", place.host);
    variables.emplace_back("MASTER_PORT", std::to_string(place.port));
  }
  if (place.listen_fd) {
    variables.emplace_back("TACHO_RENDEZVOUS_FD", std::to_string(*place.listen_fd));
  }
  if (!place.secret.empty()) variables.emplace_back(kJobSecretVariable, place.secret);
  return variables;
}

std::int64_t cores_of_rank(std::int64_t cores, const Place& place, const Environment& environment) {
  const Variables variables(environment);
  // srun binds each task to its own cores.
  const bool placed_by_slurm =
      variables.text("SLURM_STEP_NUM_TASKS") == std::to_string(place.size) && place.size > 1;
  if (placed_by_slurm) {
    const auto given = variables.number_or(0, "SLURM_CPUS_PER_TASK", 1, kMostRanks);
    if (given.ok() && *given > 0) return std::min<std::int64_t>(cores, *given);
  }
  return std::max<std::int64_t>(1, cores / place.local_size);
}

}  // namespace tacho
