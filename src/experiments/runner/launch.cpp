#include "experiments/runner/launch.h"

#include <fmt/format.h>

#include <utility>

#include "experiments/runner/simulated_network.h"
#include "machine/comm/job_secret.h"

namespace tacho {
namespace {

// Always free in a new network namespace.
constexpr std::uint16_t kSimulatedPort = 29500;

Error usage(std::string message) { return {ErrorCode::usage, std::move(message)}; }

// A launcher starts one tacho per rank; options that would start more, or elsewhere, contradict it.
Result<void> check_given(const Standing& standing) {
  const char* word = standing.ranks_per_node     ? "--nproc"
                     : standing.nodes            ? "--nnodes"
                     : standing.node_rank        ? "--node-rank"
                     : standing.has_rendezvous() ? "--rendezvous"
                     : standing.line_mbit        ? "--line-mbit"
                                                 : nullptr;
  if (word == nullptr) return {};
  return usage(fmt::format(
      "{}: torchrun or srun started this process as rank {} of {} and determines the number of "
      "ranks and their rendezvous; leave {} out",
      word, standing.given->rank, standing.given->size, word));
}

Result<void> check_simulated(std::int64_t nodes, const Standing& standing) {
  constexpr std::int64_t kMostSimulated = 16;
  constexpr double kSlowestMbit = 0.1;
  constexpr double kFastestMbit = 100'000;
  if (standing.has_rendezvous() || standing.node_rank) {
    return usage(fmt::format("--line-mbit simulates all machines here; leave {} out",
                             standing.has_rendezvous() ? "--rendezvous" : "--node-rank"));
  }
  // Rejects NaN too.
  const double mbit = *standing.line_mbit;
  if (!(mbit >= kSlowestMbit && mbit <= kFastestMbit)) {
    return usage(fmt::format("--line-mbit must be between {} and {}, not {}", kSlowestMbit,
                             kFastestMbit, mbit));
  }
  if (nodes <= kMostSimulated) return {};
  return usage(
      fmt::format("--line-mbit simulates at most {} machines, not {}", kMostSimulated, nodes));
}

Result<void> check_nodes(std::int64_t nodes, const Standing& standing) {
  if (standing.line_mbit) return check_simulated(nodes, standing);
  if (nodes > 1 && !standing.has_rendezvous()) {
    return usage(
        fmt::format("--nnodes {} needs --rendezvous HOST:PORT, the same on every machine: an "
                    "address of machine 0 with a free port; or --rendezvous file:PATH in a folder "
                    "that all share; or --line-mbit, to simulate them here",
                    nodes));
  }
  if (nodes > 1 && !standing.node_rank) {
    return usage(fmt::format(
        "--nnodes {} needs --node-rank: 0 on {}, up to {} on the others", nodes,
        standing.rendezvous ? "the machine of --rendezvous" : "one machine", nodes - 1));
  }
  const std::int64_t node = standing.node_rank.value_or(0);
  if (node >= 0 && node < nodes) return {};
  if (nodes == 1) {
    return usage(fmt::format("--node-rank {} needs --nnodes, the number of machines", node));
  }
  return usage(fmt::format("--node-rank must be between 0 and {}, not {}", nodes - 1, node));
}

// A new secret works only if all ranks are started here.
Result<void> give_secret(Launch& launch, const Standing& standing) {
  std::string secret = standing.secret;
  if (secret.empty() && standing.given) secret = standing.given->secret;
  const int size = launch.places.front().size;
  const bool all_here = std::cmp_equal(launch.places.size(), size);
  if (secret.empty() && (all_here || launch.file)) {
    secret = new_job_secret();
    launch.secret_in_file = launch.file.has_value();
  }
  if (secret.empty()) {
    return usage(
        standing.given
            ? fmt::format("rank {} of {}: ranks on several machines authenticate each other by a "
                          "secret; set {} to the same value on all, for example the output of "
                          "'openssl rand -hex 32'",
                          standing.given->rank, size, kJobSecretVariable)
            : fmt::format("--node-rank {} needs the secret of machine 0: run the command that "
                          "'tacho' printed there, set {}, or pass --job-secret-file",
                          standing.node_rank.value_or(0), kJobSecretVariable));
  }
  for (Place& place : launch.places) place.secret = secret;
  return {};
}

DistSpec as_standing(DistSpec dist, const Standing& standing) {
  dist.ranks_per_node = standing.ranks_per_node.value_or(dist.ranks_per_node);
  dist.nodes = standing.nodes.value_or(dist.nodes);
  return dist;
}

}  // namespace

bool keeps_record(const Standing& standing) {
  if (standing.given) return standing.given->rank == 0;
  return standing.node_rank.value_or(0) == 0;
}

DistSpec as_given(DistSpec dist, const Place& given) {
  dist.ranks_per_node = given.local_size;
  dist.nodes = (given.size + given.local_size - 1) / given.local_size;
  return dist;
}

Result<void> check(const DistSpec& dist, const Standing& standing) {
  if (standing.given) return check_given(standing);
  const DistSpec now = as_standing(dist, standing);
  TACHO_CHECK(check(now));
  return check_nodes(now.nodes, standing);
}

Result<Launch> plan_launch(const DistSpec& dist, const Standing& standing) {
  TACHO_CHECK(check(dist, standing));
  if (standing.given) {
    Launch launch{{*standing.given}, false};
    TACHO_CHECK(give_secret(launch, standing));
    return launch;
  }
  const DistSpec now = as_standing(dist, standing);
  // An explicit backend is used even with one rank, so that it can be measured.
  if (now.ranks() == 1 && now.backend == DistBackend::automatic) return Launch{};

  Launch launch;
  const auto local_size = static_cast<int>(now.ranks_per_node);
  const bool simulated = standing.line_mbit && now.nodes > 1;
  const auto first = static_cast<int>(standing.node_rank.value_or(0));
  const int last = simulated ? static_cast<int>(now.nodes) - 1 : first;
  for (int rank = first * local_size; rank < (last + 1) * local_size; ++rank) {
    Place place;
    place.rank = rank;
    place.size = static_cast<int>(now.ranks());
    place.local_rank = rank % local_size;
    place.local_size = local_size;
    place.node = rank / local_size;
    if (simulated) {
      place.host = SimulatedNetwork::address(0);
      place.port = kSimulatedPort;
    } else if (standing.rendezvous) {
      place.host = standing.rendezvous->host;
      place.port = standing.rendezvous->port;
    }
    launch.places.push_back(std::move(place));
  }
  launch.binds = !standing.rendezvous && !simulated;
  if (launch.binds && now.nodes > 1) launch.file = standing.file;
  if (simulated) launch.line_mbit = standing.line_mbit;
  TACHO_CHECK(give_secret(launch, standing));
  return launch;
}

Result<void> check_possible(const Launch& launch) {
  if (launch.file) TACHO_CHECK(launch.file->check_writable().in("--rendezvous"));
  if (!launch.line_mbit) return {};
  TACHO_TRY(network, SimulatedNetwork::make(launch.nodes(), *launch.line_mbit));
  (void)network;
  return {};
}

}  // namespace tacho
