#include "training/train/dist/connect.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "training/train/dist/hierarchy_exchange.h"

namespace tacho {
namespace {

// A rank may be slow, for example when writing a checkpoint: it is waited for as long as its
// control line is open.
constexpr std::chrono::minutes kPatience{30};

// The ranks of one machine, in ascending order; the first is the leader.
using Machines = std::vector<std::vector<int>>;

Machines machines_of(const std::vector<Member>& members) {
  std::map<std::string, std::size_t> known;
  Machines machines;
  for (const Member& member : members) {
    const auto [at, is_new] = known.emplace(member.machine, machines.size());
    if (is_new) machines.emplace_back();
    machines[at->second].push_back(member.rank);
  }
  return machines;
}

int index_in(const std::vector<int>& ranks, int rank) {
  return static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

Result<std::unique_ptr<ShmExchange>> share_memory(const std::vector<int>& ranks, int rank,
                                                  const std::string& name) {
  TACHO_TRY(group, ShmGroup::join({.name = name,
                                   .rank = index_in(ranks, rank),
                                   .size = static_cast<int>(ranks.size()),
                                   .timeout = kPatience}));
  return std::make_unique<ShmExchange>(std::move(group));
}

Result<std::unique_ptr<GlooExchange>> connect_gloo(const std::vector<int>& ranks, int rank,
                                                   const DistSpec& dist, Rendezvous& rendezvous) {
  TACHO_TRY(wire, connect_wire(ranks, rank, rendezvous));
  std::unique_ptr<GlooExchange> exchange;
  if (wire != nullptr) {
    exchange = std::make_unique<GlooExchange>(
        std::move(wire), GlooExchange::Options{dist.compress, dist.topk_share});
  }
  return exchange;
}

std::vector<int> leaders_of(const Machines& machines) {
  std::vector<int> leaders;
  for (const auto& ranks : machines) leaders.push_back(ranks.front());
  return leaders;
}

std::vector<int> everyone(const std::vector<Member>& members) {
  std::vector<int> ranks;
  for (const Member& member : members) ranks.push_back(member.rank);
  return ranks;
}

}  // namespace

Result<std::unique_ptr<Wire>> connect_wire(const std::vector<int>& ranks, int rank,
                                           Rendezvous& rendezvous) {
  // A new name each time: a rank may connect twice, and posted values persist.
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  TACHO_TRY(name, rendezvous.share("the name of Gloo's store", fmt::format("gloo {}", now)));
  std::unique_ptr<Wire> wire;
  if (const int index = index_in(ranks, rank); index < static_cast<int>(ranks.size())) {
    const Wire::Options options{
        .rank = index,
        .size = static_cast<int>(ranks.size()),
        .address = rendezvous.members()[static_cast<std::size_t>(rank)].address,
        .name = name,
        .timeout = kPatience};
    TACHO_TRY(connected, Wire::connect(options, rendezvous).in("Gloo"));
    wire = std::move(connected);
  }
  TACHO_CHECK(rendezvous.agree("connected", {}));
  return wire;
}

Result<std::unique_ptr<Exchange>> connect(const DistSpec& dist, int rank, Rendezvous& rendezvous,
                                          const std::string& job) {
  const auto& members = rendezvous.members();
  const Machines machines = machines_of(members);
  const bool one_machine = machines.size() == 1;
  const bool is_flat = machines.size() == members.size();
  if (dist.backend == DistBackend::shm && !one_machine) {
    return Error{
        ErrorCode::usage,
        fmt::format("--backend shm: the ranks are on {} machines, which do not share memory; "
                    "use auto",
                    machines.size())};
  }
  const bool by_gloo = dist.backend == DistBackend::gloo ||
                       (dist.backend == DistBackend::automatic && !one_machine && is_flat);
  if (by_gloo) {
    TACHO_TRY(exchange, connect_gloo(everyone(members), rank, dist, rendezvous));
    return std::unique_ptr<Exchange>(std::move(exchange));
  }
  const auto mine = std::find_if(machines.begin(), machines.end(), [rank](const auto& ranks) {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
  });
  TACHO_TRY(inside, share_memory(*mine, rank, fmt::format("{}-{}", job, mine - machines.begin())));
  if (one_machine) return std::unique_ptr<Exchange>(std::move(inside));
  TACHO_TRY(between, connect_gloo(leaders_of(machines), rank, dist, rendezvous));
  return std::unique_ptr<Exchange>(
      std::make_unique<HierarchyExchange>(std::move(inside), std::move(between)));
}

}  // namespace tacho
