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
#include "probe/proc_text.h"
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
  explicit ProcessTreeProbe(const std::vector<pid_t>& first,
                            const std::filesystem::path& root = "/");

  // Whether any process of the machine began since find_members(); then it is worth its cost.
  [[nodiscard]] bool someone_began();
  // Looks for new members among all processes of the machine.
  void find_members();
  // Looks for those that a member's first thread started, which costs little on any machine.
  void find_children();
  // Fills in what the tree has used and uses; find_members() first.
  void look(UsageSample& sample);
  // Threads, high-water marks and swapped memory, which cost more; look() then has them.
  void look_deeper();
  // One of the first has been waited for: it may have used more than was seen, and this is exact.
  void ended(pid_t first, const ChildUsage& usage);

  [[nodiscard]] std::vector<ThreadUsage> busiest_threads(std::size_t most) const {
    return threads_.busiest(most);
  }
  // Whether a process is known not to be of the tree.
  [[nodiscard]] bool is_other(std::int64_t pid) const {
    const auto known = known_.find(pid);
    return known != known_.end() && !known->second;
  }
  // "" while the system lets us read what every member reads and writes.
  [[nodiscard]] const std::string& io_problem() const { return io_problem_; }

 private:
  struct Member {
    std::int64_t pid = 0;
    std::int64_t start_ticks = 0;
    std::filesystem::path folder;
    KeptFile stat_file;
    KeptFile io_file;
    bool ended = false;
    std::int64_t threads = 0;
    std::int64_t resident_bytes = 0;
    std::int64_t swapped_bytes = 0;
    ProcIo io;
  };
  [[nodiscard]] std::filesystem::path folder_of(std::int64_t pid) const;
  [[nodiscard]] bool belongs(const ProcStat& stat) const;
  void adopt(const ProcStat& stat);
  std::string newest();
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
  std::string newest_;  // process of the machine, at the last listing
  std::string text_;
};

}  // namespace tacho
