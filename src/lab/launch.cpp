#include "lab/launch.h"

#include <fmt/format.h>

#include <utility>

#include "comm/job_secret.h"
#include "lab/stand_in_network.h"

namespace tacho {
namespace {

// Free in a network that was just made.
constexpr std::uint16_t kPortOfStandIns = 29500;

Error usage(std::string message) { return {ErrorCode::usage, std::move(message)}; }

// A launcher starts one tacho a rank; words that would start more, or elsewhere, contradict it.
Result<void> check_given(const Standing& standing) {
  const char* word = standing.ranks_a_node ? "--nproc"
                     : standing.nodes      ? "--nnodes"
                     : standing.node_rank  ? "--node-rank"
                     : standing.rendezvous ? "--rendezvous"
                     : standing.line_mbit  ? "--line-mbit"
                                           : nullptr;
  if (word == nullptr) return {};
  return usage(fmt::format(
      "{}: this is rank {} of {} that torchrun or srun started, so how many there are and where "
      "they meet is decided; leave {} out",
      word, standing.given->rank, standing.given->size, word));
}

Result<void> check_stand_ins(std::int64_t nodes, const Standing& standing) {
  constexpr std::int64_t kMostStandIns = 16;
  constexpr double kSlowestMbit = 0.1;
  constexpr double kFastestMbit = 100'000;
  if (standing.rendezvous || standing.node_rank) {
    return usage(fmt::format("--line-mbit starts all machines here; leave {} out",
                             standing.rendezvous ? "--rendezvous" : "--node-rank"));
  }
  // Written so that not-a-number fails too.
  const double mbit = *standing.line_mbit;
  if (!(mbit >= kSlowestMbit && mbit <= kFastestMbit)) {
    return usage(fmt::format("--line-mbit must lie between {} and {}, not {}", kSlowestMbit,
                             kFastestMbit, mbit));
  }
  if (nodes <= kMostStandIns) return {};
  return usage(
      fmt::format("--line-mbit: at most {} machines are stood for, not {}", kMostStandIns, nodes));
}

Result<void> check_nodes(std::int64_t nodes, const Standing& standing) {
  if (standing.line_mbit) return check_stand_ins(nodes, standing);
  if (nodes > 1 && !standing.rendezvous) {
    return usage(
        fmt::format("--nnodes {} needs --rendezvous HOST:PORT, the same on every machine: an "
                    "address of machine 0 with a free port; or --line-mbit, to try it on this one",
                    nodes));
  }
  if (nodes > 1 && !standing.node_rank) {
    return usage(fmt::format(
        "--nnodes {} needs --node-rank: 0 on the machine of --rendezvous, up to {} on the others",
        nodes, nodes - 1));
  }
  const std::int64_t node = standing.node_rank.value_or(0);
  if (node >= 0 && node < nodes) return {};
  if (nodes == 1) {
    return usage(fmt::format("--node-rank {} needs --nnodes: how many machines there are", node));
  }
  return usage(fmt::format("--node-rank must lie between 0 and {}, not {}", nodes - 1, node));
}

// Ranks that are started elsewhere as well cannot know a secret that is made here.
Result<void> give_secret(Launch& launch, const Standing& standing) {
  std::string secret = standing.secret;
  if (secret.empty() && standing.given) secret = standing.given->secret;
  const int size = launch.places.front().size;
  const bool all_here = std::cmp_equal(launch.places.size(), size);
  if (secret.empty() && all_here) secret = new_job_secret();
  if (secret.empty()) {
    return usage(
        standing.given
            ? fmt::format("rank {} of {}: ranks on several machines need a secret to recognise "
                          "each other; set {} to the same on all, for example to what 'openssl "
                          "rand -hex 32' prints",
                          standing.given->rank, size, kJobSecretVariable)
            : fmt::format("--node-rank {} needs the secret of machine 0: start the command that "
                          "'tacho' printed there, set {}, or name a file with --job-secret-file",
                          standing.node_rank.value_or(0), kJobSecretVariable));
  }
  for (Place& place : launch.places) place.secret = secret;
  return {};
}

}  // namespace

bool keeps_record(const Standing& standing) {
  if (standing.given) return standing.given->rank == 0;
  return standing.node_rank.value_or(0) == 0;
}

DistSpec as_given(DistSpec dist, const Place& given) {
  dist.ranks_a_node = given.local_size;
  dist.nodes = (given.size + given.local_size - 1) / given.local_size;
  return dist;
}

Result<Launch> plan_launch(const DistSpec& dist, const Standing& standing) {
  if (standing.given) {
    TACHO_CHECK(check_given(standing));
    Launch launch{{*standing.given}, false};
    TACHO_CHECK(give_secret(launch, standing));
    return launch;
  }
  DistSpec now = dist;
  now.ranks_a_node = standing.ranks_a_node.value_or(dist.ranks_a_node);
  now.nodes = standing.nodes.value_or(dist.nodes);
  TACHO_CHECK(check(now));
  TACHO_CHECK(check_nodes(now.nodes, standing));
  // A backend that was named is used, so that it can be measured with one rank too.
  if (now.ranks() == 1 && now.backend == DistBackend::automatic) return Launch{};

  Launch launch;
  const auto local_size = static_cast<int>(now.ranks_a_node);
  const bool stood_for = standing.line_mbit && now.nodes > 1;
  const auto first = static_cast<int>(standing.node_rank.value_or(0));
  const int last = stood_for ? static_cast<int>(now.nodes) - 1 : first;
  for (int rank = first * local_size; rank < (last + 1) * local_size; ++rank) {
    Place place;
    place.rank = rank;
    place.size = static_cast<int>(now.ranks());
    place.local_rank = rank % local_size;
    place.local_size = local_size;
    place.node = rank / local_size;
    if (stood_for) {
      place.host = StandInNetwork::address(0);
      place.port = kPortOfStandIns;
    } else if (standing.rendezvous) {
      place.host = standing.rendezvous->host;
      place.port = standing.rendezvous->port;
    }
    launch.places.push_back(std::move(place));
  }
  launch.binds = !standing.rendezvous && !stood_for;
  if (stood_for) launch.line_mbit = standing.line_mbit;
  TACHO_CHECK(give_secret(launch, standing));
  return launch;
}

Result<void> check_possible(const Launch& launch) {
  if (!launch.line_mbit) return {};
  TACHO_TRY(network, StandInNetwork::make(launch.nodes(), *launch.line_mbit));
  (void)network;
  return {};
}

}  // namespace tacho
