#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/subprocess.h"
#include "probe/proc_stat.h"

namespace tacho {

// Counters of a process together with those of the children it has waited for.
struct Tally {
  double user_ticks = 0;  // whole ones, but for what ended() told
  double system_ticks = 0;
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  ProcIo io;

  Tally& operator+=(const Tally& other);
};

// What a tree of processes has used, though its processes end between two looks and their entries
// in /proc with them.
//
// Linux adds a child's counters to those of the parent that waits for it ("cutime"); the counters
// of a child nobody waits for, or whose parent was gone, are dropped. So the sum over all that are
// there, each with what it got from its children, is right for children that were waited for, seen
// or not, however many and short-lived. To that belong the last counters seen of those that are
// gone and were not waited for. Which ones those are is told by the page faults: every process has
// some, and a parent's "cminflt" grows by all of a child's the moment it waits for it. A process
// that is gone is settled against what its nearest living ancestor got since the last look. As a
// parent may wait for it in the midst of a look, it is given until the end of the next.
//
// What cannot be seen: a process that began and ended between two looks and was not waited for.
class TreeAccounts {
 public:
  explicit TreeAccounts(std::vector<std::int64_t> roots) : roots_(std::move(roots)) {}

  // One look: seen() for every process that is there, parents before their children, and gone()
  // for those that are not any more; then settle().
  void seen(const ProcStat& stat, const ProcIo& io);
  void gone(std::int64_t pid);
  void settle();

  // A root was waited for, and this is what it and those it waited for have used, to the
  // microsecond. Best after a look that found it gone, and so its children that it waited for.
  void ended(std::int64_t pid, const ChildUsage& usage, double ticks_per_second);

  [[nodiscard]] Tally total() const;

 private:
  struct Account {
    std::int64_t parent = 0;
    Tally tally;
    std::int64_t from_children = 0;  // minor faults
    std::int64_t unclaimed = 0;      // of those, what came in this look
  };
  // Of a process that is gone, on what an ancestor got.
  struct Claim {
    std::int64_t ancestor = 0;
    Tally tally;
    bool waited = false;  // a look long
  };
  // A root that is gone: nobody here sees what its parent got from it.
  struct Ended {
    Tally tally;
    std::vector<Tally> claims;
  };
  [[nodiscard]] std::int64_t nearest_left(std::int64_t ancestor) const;

  std::vector<std::int64_t> roots_;

  std::map<std::int64_t, Account> living_;
  std::map<std::int64_t, Account> gone_;  // in this look
  std::vector<Claim> claims_;
  std::map<std::int64_t, Ended> ended_;
  Tally lost_;
};

}  // namespace tacho
