#include "machine/probe/process_tree_probe.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>

#include "base/split.h"
#include "machine/probe/self_usage.h"

namespace tacho {

namespace fs = std::filesystem;

ProcessTreeProbe::ProcessTreeProbe(const std::vector<pid_t>& first, const fs::path& root)
    : proc_(root / "proc"),
      ticks_per_second_(static_cast<double>(::sysconf(_SC_CLK_TCK))),
      page_bytes_(::sysconf(_SC_PAGESIZE)),
      own_peak_bytes_(self_usage().peak_memory.count),
      first_(first),
      accounts_({first.begin(), first.end()}) {
  for (const pid_t pid : first) {
    if (read_again(folder_of(pid) / "stat", text_) != 0) continue;
    if (const auto stat = parse_proc_stat(text_)) adopt(*stat);
  }
}

fs::path ProcessTreeProbe::folder_of(std::int64_t pid) const { return proc_ / std::to_string(pid); }

bool ProcessTreeProbe::belongs(const ProcStat& stat) const {
  const auto parent = known_.find(stat.parent);
  return (parent != known_.end() && parent->second) || leaders_.contains(stat.group) ||
         leaders_.contains(stat.session);
}

void ProcessTreeProbe::adopt(const ProcStat& stat) {
  known_[stat.pid] = true;
  if (stat.group == stat.pid || stat.session == stat.pid) leaders_.insert(stat.pid);
  const fs::path folder = folder_of(stat.pid);
  constexpr std::size_t kMostOpen = 64;  // of usually 1024 descriptors per process
  const bool keep = members_.size() < kMostOpen;
  members_.push_back({.pid = stat.pid,
                      .start_ticks = stat.start_ticks,
                      .folder = folder,
                      .stat_file = ProcFile(folder / "stat", keep),
                      .io_file = ProcFile(folder / "io", keep)});
}

// Returns the most recent pid: the last word of "0.34 0.22 0.89 2/163 14387".
std::string ProcessTreeProbe::newest() {
  read_again(proc_ / "loadavg", text_);
  const std::string_view text = trimmed(text_);
  return std::string(text.substr(text.find_last_of(' ') + 1));
}

bool ProcessTreeProbe::process_started() { return newest_.empty() || newest() != newest_; }

void ProcessTreeProbe::find_children() {
  std::deque<std::int64_t> parents;
  for (const Member& member : members_) parents.push_back(member.pid);
  for (; !parents.empty(); parents.pop_front()) {
    const std::int64_t parent = parents.front();
    read_again(folder_of(parent) / "task" / std::to_string(parent) / "children", text_);
    const std::string children = text_;
    for (const std::string_view word : split(children, ' ')) {
      const auto child = leading_number(word);
      if (!child || known_.contains(*child)) continue;
      if (read_again(folder_of(*child) / "stat", text_) != 0) continue;
      const auto stat = parse_proc_stat(text_);
      if (!stat || stat->pid != *child) continue;
      adopt(*stat);
      parents.push_back(*child);
    }
  }
}

void ProcessTreeProbe::find_members() {
  newest_ = newest();  // before the listing, so that no new process is missed
  std::map<std::int64_t, bool> known;
  std::vector<ProcStat> fresh;
  for (const std::int64_t pid : numbered_entries(proc_)) {
    if (const auto before = known_.find(pid); before != known_.end()) {
      known.insert(*before);
    } else if (read_again(folder_of(pid) / "stat", text_) == 0) {
      if (auto stat = parse_proc_stat(text_); stat && stat->pid == pid) fresh.push_back(*stat);
    }
  }
  known_ = std::move(known);
  // A pid is reused only when the group or session with that number is empty.
  for (const ProcStat& stat : fresh) leaders_.erase(stat.pid);

  // A child may have a lower pid than its parent after pids have wrapped around.
  for (bool again = true; again;) {
    const auto unrelated = std::stable_partition(
        fresh.begin(), fresh.end(), [this](const ProcStat& stat) { return belongs(stat); });
    again = unrelated != fresh.begin();
    std::for_each(fresh.begin(), unrelated, [this](const ProcStat& stat) { adopt(stat); });
    fresh.erase(fresh.begin(), unrelated);
  }
  for (const ProcStat& other : fresh) known_[other.pid] = false;
}

// Returns false once the process is gone, or its pid was reused.
bool ProcessTreeProbe::refresh(Member& member) {
  const int unread = member.stat_file.read(text_);
  // These errors say nothing about the member.
  if (unread == EMFILE || unread == ENFILE || unread == ENOMEM) return true;
  if (unread != 0) return false;
  const auto stat = parse_proc_stat(text_);
  if (!stat || stat->start_ticks != member.start_ticks) return false;
  member.ended = stat->ended();
  member.threads = stat->threads;
  member.resident_bytes = member.ended ? 0 : stat->resident_pages * page_bytes_;
  if (member.ended) member.swapped_bytes = 0;
  if (stat->group == stat->pid || stat->session == stat->pid) leaders_.insert(stat->pid);

  const int refused = member.io_file.read(text_);
  if (const auto io = parse_proc_io(text_)) {
    member.io = *io;
    io_seen_ = true;
  } else if (refused == EACCES || refused == EPERM) {
    io_problem_ = fmt::format("{}: {}; only the owner of the process and root can read it",
                              member.io_file.path().string(), std::strerror(refused));
  } else if (refused == ENOENT && !io_seen_) {
    io_problem_ = fmt::format("no {}; the kernel is built without CONFIG_TASK_IO_ACCOUNTING",
                              member.io_file.path().string());
  }
  accounts_.seen(*stat, member.io);
  return true;
}

void ProcessTreeProbe::refresh_all() {
  std::erase_if(members_, [this](Member& member) {
    if (refresh(member)) return false;
    accounts_.gone(member.pid);
    threads_.ended(member.pid);
    known_.erase(member.pid);
    return true;
  });
  accounts_.settle();
}

void ProcessTreeProbe::look(UsageSample& sample) {
  refresh_all();
  for (const Member& member : members_) {
    if (member.ended) continue;
    ++sample.processes;
    sample.threads += member.threads;
    sample.resident_bytes += member.resident_bytes;
    sample.swapped_bytes += member.swapped_bytes;
  }
  peak_bytes_ = std::max(peak_bytes_, sample.resident_bytes);
  sample.peak_resident_bytes = peak_bytes_;

  const Tally total = accounts_.total();
  const auto rise = [](auto& last, auto now) { return last = std::max(last, now); };
  sample.user_s = rise(last_.user_s, total.user_ticks / ticks_per_second_);
  sample.system_s = rise(last_.system_s, total.system_ticks / ticks_per_second_);
  sample.minor_faults = rise(last_.minor_faults, total.minor_faults);
  sample.major_faults = rise(last_.major_faults, total.major_faults);
  const auto switches = threads_.switches();
  sample.voluntary_switches =
      rise(last_.voluntary_switches, std::max(switches.voluntary, reported_voluntary_));
  sample.involuntary_switches =
      rise(last_.involuntary_switches, std::max(switches.involuntary, reported_involuntary_));
  if (const auto waited = threads_.waited_s()) {
    sample.waited_s = last_.waited_s = std::max(last_.waited_s.value_or(0), *waited);
  }
  if (!io_seen_) return;
  const auto rise_io = [](std::optional<std::int64_t>& last, std::int64_t now) {
    return last = std::max(last.value_or(0), now);
  };
  sample.read_bytes = rise_io(last_.read_bytes, total.io.read_bytes);
  sample.write_bytes = rise_io(last_.write_bytes, total.io.write_bytes);
  sample.read_chars = rise_io(last_.read_chars, total.io.read_chars);
  sample.write_chars = rise_io(last_.write_chars, total.io.write_chars);
}

void ProcessTreeProbe::look_deeper() {
  for (Member& member : members_) {
    threads_.look(member.pid, member.folder / "task");
    if (read_again(member.folder / "status", text_) != 0) continue;
    const auto bytes = [this](std::string_view key) {
      constexpr std::int64_t kMostKib = std::int64_t{1} << 42;
      const auto kib = leading_number(value_of(text_, key)).value_or(0);
      return std::clamp<std::int64_t>(kib, 0, kMostKib) * 1024;
    };
    peak_bytes_ = std::max(peak_bytes_, bytes("VmHWM"));
    member.swapped_bytes = bytes("VmSwap");
  }
}

void ProcessTreeProbe::ended(pid_t first, const ChildUsage& usage) {
  if (std::find(first_.begin(), first_.end(), first) == first_.end()) return;
  refresh_all();
  accounts_.ended(first, usage, ticks_per_second_);
  // Before exec it was a copy of this process, and its peak may be from then.
  if (usage.peak_memory.count > own_peak_bytes_) {
    peak_bytes_ = std::max(peak_bytes_, usage.peak_memory.count);
  }
  reported_voluntary_ += usage.voluntary_switches;
  reported_involuntary_ += usage.involuntary_switches;
}

}  // namespace tacho
