#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "core/record/usage.h"
#include "machine/probe/proc_stat.h"
#include "machine/probe/proc_text.h"
#include "machine/probe/thread_accounts.h"
#include "machine/probe/tree_accounts.h"

namespace tacho {

// All processes of a run: the first ones, their descendants, and descendants whose parents are
// gone, if they were seen before or are in a process group or session that a member leads. `root`
// contains proc/. There is no clock in here: the caller decides how often to sample.
class ProcessTreeProbe {
 public:
  explicit ProcessTreeProbe(const std::vector<pid_t>& first,
                            const std::filesystem::path& root = "/");

  // Returns true if a process of the machine was started since find_members(), so that calling it
  // again is useful.
  [[nodiscard]] bool process_started();
  // Searches all processes of the machine for new members.
  void find_members();
  // Searches only the children of the members' first threads, which is cheap on any machine.
  void find_children();
  // Fills in the resource usage of the tree; call find_members() first.
  void look(UsageSample& sample);
  // Reads threads, high-water marks and swapped memory, which is more expensive; look() then
  // reports them.
  void look_deeper();
  // Reports the exact usage of one of the first processes after it was waited for; it may be more
  // than the samples show.
  void ended(pid_t first, const ChildUsage& usage);

  [[nodiscard]] std::vector<ThreadUsage> busiest_threads(std::size_t most) const {
    return threads_.busiest(most);
  }
  // Returns true if a process is known not to belong to the tree.
  [[nodiscard]] bool is_other(std::int64_t pid) const {
    const auto known = known_.find(pid);
    return known != known_.end() && !known->second;
  }
  // "" if the I/O counters of all members can be read.
  [[nodiscard]] const std::string& io_problem() const { return io_problem_; }

 private:
  struct Member {
    std::int64_t pid = 0;
    std::int64_t start_ticks = 0;
    std::filesystem::path folder;
    ProcFile stat_file;
    ProcFile io_file;
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
  std::map<std::int64_t, bool> known_;  // pids of the last listing; true for members
  std::set<std::int64_t> leaders_;      // members that lead groups or sessions
  TreeAccounts accounts_;
  ThreadAccounts threads_;
  UsageSample last_;  // so that counters never decrease, although ticks are rounded down
  std::int64_t reported_voluntary_ = 0;  // of processes that were waited for
  std::int64_t reported_involuntary_ = 0;
  std::int64_t peak_bytes_ = 0;
  bool io_seen_ = false;
  std::string io_problem_;
  std::string newest_;  // most recent pid of the machine at the last listing
  std::string text_;
};

}  // namespace tacho
