#include "train/dist/connect.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "train/dist/hierarchy_exchange.h"

namespace tacho {
namespace {

// A rank may be slow, it writes a checkpoint: as long as its control line lives it is waited for.
constexpr std::chrono::minutes kPatience{30};

// The ranks of one machine, in ascending order; the first leads.
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
                                                   const DistSpec& dist, Rollcall& rollcall) {
  TACHO_TRY(wire, connect_wire(ranks, rank, rollcall));
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
                                           Rollcall& rollcall) {
  // Another one each time: a rank may connect twice, and what was posted stays.
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  TACHO_TRY(name, rollcall.share("the name of Gloo's store", fmt::format("gloo {}", now)));
  std::unique_ptr<Wire> wire;
  if (const int index = index_in(ranks, rank); index < static_cast<int>(ranks.size())) {
    const Wire::Options options{
        .rank = index,
        .size = static_cast<int>(ranks.size()),
        .address = rollcall.members()[static_cast<std::size_t>(rank)].address,
        .name = name,
        .timeout = kPatience};
    TACHO_TRY(connected, Wire::connect(options, rollcall).in("Gloo"));
    wire = std::move(connected);
  }
  TACHO_CHECK(rollcall.agree("connected", {}));
  return wire;
}

Result<std::unique_ptr<Exchange>> connect(const DistSpec& dist, int rank, Rollcall& rollcall,
                                          const std::string& job) {
  const auto& members = rollcall.members();
  const Machines machines = machines_of(members);
  const bool one_machine = machines.size() == 1;
  const bool is_flat = machines.size() == members.size();
  if (dist.backend == DistBackend::shm && !one_machine) {
    return Error{ErrorCode::usage,
                 fmt::format("--backend shm: the ranks are on {} machines, which share no memory; "
                             "use auto",
                             machines.size())};
  }
  const bool by_gloo = dist.backend == DistBackend::gloo ||
                       (dist.backend == DistBackend::automatic && !one_machine && is_flat);
  if (by_gloo) {
    TACHO_TRY(exchange, connect_gloo(everyone(members), rank, dist, rollcall));
    return std::unique_ptr<Exchange>(std::move(exchange));
  }
  const auto mine = std::find_if(machines.begin(), machines.end(), [rank](const auto& ranks) {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
  });
  TACHO_TRY(inside, share_memory(*mine, rank, fmt::format("{}-{}", job, mine - machines.begin())));
  if (one_machine) return std::unique_ptr<Exchange>(std::move(inside));
  TACHO_TRY(between, connect_gloo(leaders_of(machines), rank, dist, rollcall));
  return std::unique_ptr<Exchange>(
      std::make_unique<HierarchyExchange>(std::move(inside), std::move(between)));
}

}  // namespace tacho
