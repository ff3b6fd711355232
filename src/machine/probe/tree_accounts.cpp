#include "machine/probe/tree_accounts.h"

#include <algorithm>

namespace tacho {

Tally& Tally::operator+=(const Tally& other) {
  user_ticks += other.user_ticks;
  system_ticks += other.system_ticks;
  minor_faults += other.minor_faults;
  major_faults += other.major_faults;
  io.read_chars += other.io.read_chars;
  io.write_chars += other.io.write_chars;
  io.read_bytes += other.io.read_bytes;
  io.write_bytes += other.io.write_bytes;
  return *this;
}

void TreeAccounts::seen(const ProcStat& stat, const ProcIo& io) {
  Account& account = living_[stat.pid];
  account.parent = stat.parent;
  account.tally = {
      .user_ticks = static_cast<double>(stat.user_ticks + stat.children_user_ticks),
      .system_ticks = static_cast<double>(stat.system_ticks + stat.children_system_ticks),
      .minor_faults = stat.minor_faults + stat.children_minor_faults,
      .major_faults = stat.major_faults + stat.children_major_faults,
      .io = io};
  account.unclaimed = stat.children_minor_faults - account.from_children;
  account.from_children = stat.children_minor_faults;
}

void TreeAccounts::gone(std::int64_t pid) {
  if (auto account = living_.extract(pid)) gone_.insert(std::move(account));
}

// Skips ancestors that are gone, up to one that is alive, to a root, or out of the tree.
std::int64_t TreeAccounts::nearest_left(std::int64_t ancestor) const {
  for (std::size_t steps = 0; steps < gone_.size() && !ended_.contains(ancestor); ++steps) {
    const auto at = gone_.find(ancestor);
    if (at == gone_.end()) break;
    ancestor = at->second.parent;
  }
  return ancestor;
}

void TreeAccounts::settle() {
  for (const auto& [pid, account] : gone_) {
    if (std::find(roots_.begin(), roots_.end(), pid) != roots_.end()) {
      ended_[pid] = {account.tally, {}};
    } else {
      claims_.push_back({account.parent, account.tally});
    }
  }
  std::vector<Claim> open;
  for (Claim& claim : claims_) {
    claim.ancestor = nearest_left(claim.ancestor);
    if (const auto root = ended_.find(claim.ancestor); root != ended_.end()) {
      root->second.claims.push_back(claim.tally);
      continue;
    }
    const auto ancestor = living_.find(claim.ancestor);
    const bool lives = ancestor != living_.end();
    if (lives && ancestor->second.unclaimed >= claim.tally.minor_faults) {
      ancestor->second.unclaimed -= claim.tally.minor_faults;
    } else if (lives && !claim.waited) {
      claim.waited = true;
      open.push_back(claim);
    } else {
      lost_ += claim.tally;
    }
  }
  claims_ = std::move(open);
  gone_.clear();
}

void TreeAccounts::ended(std::int64_t pid, const ChildUsage& usage, double ticks_per_second) {
  gone(pid);
  settle();
  Ended& root = ended_[pid];
  Tally& tally = root.tally;
  std::int64_t unclaimed = usage.minor_faults - tally.minor_faults;
  for (const Tally& claim : root.claims) {
    if (claim.minor_faults <= unclaimed) {
      unclaimed -= claim.minor_faults;
    } else {
      lost_ += claim;
    }
  }
  root.claims.clear();

  const double user_ticks = usage.user.count() * ticks_per_second;
  const double system_ticks = usage.system.count() * ticks_per_second;
  if (user_ticks + system_ticks >= tally.user_ticks + tally.system_ticks) {
    tally.user_ticks = user_ticks;
    tally.system_ticks = system_ticks;
  }
  tally.minor_faults = std::max(tally.minor_faults, usage.minor_faults);
  tally.major_faults = std::max(tally.major_faults, usage.major_faults);
  tally.io.read_bytes = std::max(tally.io.read_bytes, usage.storage_read.count);
  tally.io.write_bytes = std::max(tally.io.write_bytes, usage.storage_written.count);
}

Tally TreeAccounts::total() const {
  Tally total = lost_;
  for (const auto& [pid, account] : living_) total += account.tally;
  for (const Claim& claim : claims_) total += claim.tally;
  for (const auto& [pid, root] : ended_) {
    total += root.tally;
    for (const Tally& claim : root.claims) total += claim;
  }
  return total;
}

}  // namespace tacho
