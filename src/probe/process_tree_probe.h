#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "probe/proc_stat.h"
#include "probe/thread_accounts.h"
#include "probe/tree_accounts.h"
#include "record/usage.h"

namespace tacho {

// All processes of a run: its first ones, their descendants, and descendants whose parents are
// gone, if they were seen before or are in a process group or session that one of the tree leads.
// `root` holds proc/. There is no clock in here: who calls decides how often each look is worth
// its cost.
class ProcessTreeProbe {
 public:
  explicit ProcessTreeProbe(const std::vector<pid_t>& first, std::filesystem::path root = "/");

  // Looks for new members among all processes of the machine.
  void find_members();
  // Fills in what the tree has used and uses; find_members() first.
  void look(UsageSample& sample);
  // Threads, high-water marks and swapped memory, which cost more; look() then has them.
  void look_deeper();
  // One of the first has been waited for: it may have used more than was seen, and this is exact.
  void ended(pid_t first, const ChildUsage& usage);

  [[nodiscard]] std::vector<ThreadUsage> busiest_threads(std::size_t most) const {
    return threads_.busiest(most);
  }
  // "" while the system lets us read what every member reads and writes.
  [[nodiscard]] const std::string& io_problem() const { return io_problem_; }

 private:
  struct Member {
    std::int64_t pid = 0;
    std::int64_t start_ticks = 0;
    std::filesystem::path folder;
    bool ended = false;
    std::int64_t threads = 0;
    std::int64_t resident_bytes = 0;
    std::int64_t swapped_bytes = 0;
    ProcIo io;
  };
  [[nodiscard]] std::filesystem::path folder_of(std::int64_t pid) const;
  [[nodiscard]] bool belongs(const ProcStat& stat) const;
  void adopt(const ProcStat& stat);
  bool refresh(Member& member);
  void refresh_all();

  std::filesystem::path proc_;
  double ticks_per_second_;
  std::int64_t page_bytes_;
  std::int64_t own_peak_bytes_;  // of the process that started the first ones
  std::vector<pid_t> first_;
  std::vector<Member> members_;         // parents before their children
  std::map<std::int64_t, bool> known_;  // pids of the last listing: whether one of ours
  std::set<std::int64_t> leaders_;      // of groups and sessions, ours
  TreeAccounts accounts_;
  ThreadAccounts threads_;
  UsageSample last_;  // counters never go back, though ticks are rounded down here and there
  std::int64_t told_voluntary_ = 0;  // by the system, of those that were waited for
  std::int64_t told_involuntary_ = 0;
  std::int64_t peak_bytes_ = 0;
  bool io_seen_ = false;
  std::string io_problem_;
  std::string text_;
};

}  // namespace tacho
