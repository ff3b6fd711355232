#include "machine/probe/thread_accounts.h"

#include <unistd.h>

#include <algorithm>

#include "machine/probe/proc_stat.h"
#include "machine/probe/proc_text.h"
#include "machine/probe/run_delay.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

// Limits memory for programs that start one thread per request.
constexpr std::size_t kMostEnded = 1000;

bool busier(const ThreadUsage& a, const ThreadUsage& b) { return a.cpu_s > b.cpu_s; }

}  // namespace

void ThreadAccounts::look(std::int64_t process, const fs::path& task) {
  const auto ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  Threads before = std::move(living_[process]);
  Threads& now = living_[process];
  now.clear();
  for (const std::int64_t id : numbered_entries(task)) {
    const fs::path folder = task / std::to_string(id);
    if (read_again(folder / "stat", text_) != 0) continue;
    const auto stat = parse_proc_stat(text_);
    if (!stat) continue;
    Thread thread;
    if (const auto known = before.find(id);
        known != before.end() && known->second.start_ticks == stat->start_ticks) {
      thread = known->second;
      before.erase(known);
    }
    thread.start_ticks = stat->start_ticks;
    thread.usage.name = stat->name;
    thread.usage.process = process;
    thread.usage.cpu_s =
        static_cast<double>(stat->user_ticks + stat->system_ticks) / ticks_per_second;
    if (read_again(folder / "status", text_) == 0) {
      const auto voluntary = leading_number(value_of(text_, "voluntary_ctxt_switches"));
      const auto involuntary = leading_number(value_of(text_, "nonvoluntary_ctxt_switches"));
      thread.switches = {voluntary.value_or(0), involuntary.value_or(0)};
    }
    if (read_again(folder / "schedstat", text_) == 0) {
      if (const auto delay = parse_schedstat(text_)) thread.usage.waited_s = delay->waited_s;
    }
    now[id] = thread;
  }
  for (const auto& [id, thread] : before) retire(thread);
}

void ThreadAccounts::ended(std::int64_t process) {
  const auto threads = living_.extract(process);
  if (!threads) return;
  for (const auto& [id, thread] : threads.mapped()) retire(thread);
}

void ThreadAccounts::retire(const Thread& thread) {
  ended_switches_.voluntary += thread.switches.voluntary;
  ended_switches_.involuntary += thread.switches.involuntary;
  if (thread.usage.waited_s) {
    ended_waited_s_ = ended_waited_s_.value_or(0) + *thread.usage.waited_s;
  }
  if (thread.usage.cpu_s <= 0) return;
  ended_.push_back(thread.usage);
  if (ended_.size() < kMostEnded) return;
  std::sort(ended_.begin(), ended_.end(), busier);
  ended_.resize(kMostEnded / 2);
}

std::vector<ThreadUsage> ThreadAccounts::busiest(std::size_t most) const {
  std::vector<ThreadUsage> all = ended_;
  for (const auto& [process, threads] : living_) {
    for (const auto& [id, thread] : threads) {
      if (thread.usage.cpu_s > 0) all.push_back(thread.usage);
    }
  }
  std::stable_sort(all.begin(), all.end(), busier);
  all.resize(std::min(all.size(), most));
  return all;
}

ThreadAccounts::Switches ThreadAccounts::switches() const {
  Switches sum = ended_switches_;
  for (const auto& [process, threads] : living_) {
    for (const auto& [id, thread] : threads) {
      sum.voluntary += thread.switches.voluntary;
      sum.involuntary += thread.switches.involuntary;
    }
  }
  return sum;
}

std::optional<double> ThreadAccounts::waited_s() const {
  std::optional<double> sum = ended_waited_s_;
  for (const auto& [process, threads] : living_) {
    for (const auto& [id, thread] : threads) {
      if (thread.usage.waited_s) sum = sum.value_or(0) + *thread.usage.waited_s;
    }
  }
  return sum;
}

}  // namespace tacho
