#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/subprocess.h"
#include "machine/probe/proc_stat.h"

namespace tacho {

// Counters of a process together with those of the children it has waited for.
struct Tally {
  double user_ticks = 0;  // whole, except after ended()
  double system_ticks = 0;
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  ProcIo io;

  Tally& operator+=(const Tally& other);
};

// The resource usage of a tree of processes, including processes that end between two samples.
//
// Linux adds the counters of a child to those of the parent that waits for it ("cutime"). It drops
// the counters of a child that nobody waits for, or whose parent is gone. So the sum over all live
// processes, including what they got from their children, is correct for all children that were
// waited for, sampled or not. The last counters of processes that are gone and were not waited for
// must be added. Page faults identify them: every process has some, and a parent's "cminflt" grows
// by those of a child when it waits for it. So the page faults of a process that is gone are
// compared with what its nearest live ancestor got since the last sample. A parent may wait for a
// child in the middle of a sample, so the child is kept until the end of the next one.
//
// A process that started and ended between two samples and was not waited for is missed.
class TreeAccounts {
 public:
  explicit TreeAccounts(std::vector<std::int64_t> roots) : roots_(std::move(roots)) {}

  // For one sample, call seen() for every live process, parents before their children, and gone()
  // for those that disappeared; then settle().
  void seen(const ProcStat& stat, const ProcIo& io);
  void gone(std::int64_t pid);
  void settle();

  // Reports the exact usage of a root that was waited for, including the children it waited for.
  // Preferably called after a sample that found it gone.
  void ended(std::int64_t pid, const ChildUsage& usage, double ticks_per_second);

  [[nodiscard]] Tally total() const;

 private:
  struct Account {
    std::int64_t parent = 0;
    Tally tally;
    std::int64_t from_children = 0;  // minor faults
    std::int64_t unclaimed = 0;      // of those, added in this sample
  };
  // Counters of a process that is gone, which an ancestor may have got.
  struct Claim {
    std::int64_t ancestor = 0;
    Tally tally;
    bool waited = false;  // for one sample
  };
  // A root that is gone. Its parent is not sampled, so its claims stay open until ended().
  struct Ended {
    Tally tally;
    std::vector<Tally> claims;
  };
  [[nodiscard]] std::int64_t nearest_left(std::int64_t ancestor) const;

  std::vector<std::int64_t> roots_;

  std::map<std::int64_t, Account> living_;
  std::map<std::int64_t, Account> gone_;  // in this sample
  std::vector<Claim> claims_;
  std::map<std::int64_t, Ended> ended_;
  Tally lost_;
};

}  // namespace tacho
