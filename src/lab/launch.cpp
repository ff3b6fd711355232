#include "lab/launch.h"

#include <fmt/format.h>

namespace tacho {
namespace {

Error usage(std::string message) { return {ErrorCode::usage, std::move(message)}; }

// A launcher starts one tacho a rank; words that would start more, or elsewhere, contradict it.
Result<void> check_given(const Standing& standing) {
  const char* word = standing.ranks_a_node ? "--nproc"
                     : standing.nodes      ? "--nnodes"
                     : standing.node_rank  ? "--node-rank"
                     : standing.rendezvous ? "--rendezvous"
                                           : nullptr;
  if (word == nullptr) return {};
  return usage(fmt::format(
      "{}: this is rank {} of {} that torchrun or srun started, so how many there are and where "
      "they meet is decided; leave {} out",
      word, standing.given->rank, standing.given->size, word));
}

Result<void> check_nodes(std::int64_t nodes, const Standing& standing) {
  if (nodes > 1 && !standing.rendezvous) {
    return usage(
        fmt::format("--nnodes {} needs --rendezvous HOST:PORT, the same on every machine: an "
                    "address of machine 0 with a free port",
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
    return Launch{{*standing.given}, false};
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
  const auto node = static_cast<int>(standing.node_rank.value_or(0));
  for (int local = 0; local < local_size; ++local) {
    Place place;
    place.rank = node * local_size + local;
    place.size = static_cast<int>(now.ranks());
    place.local_rank = local;
    place.local_size = local_size;
    place.node = node;
    if (standing.rendezvous) {
      place.host = standing.rendezvous->host;
      place.port = standing.rendezvous->port;
    }
    launch.places.push_back(std::move(place));
  }
  launch.binds = !standing.rendezvous;
  return launch;
}

}  // namespace tacho
