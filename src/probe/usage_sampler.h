#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/subprocess.h"
#include "probe/nvml_api.h"
#include "probe/perf_counters.h"

namespace tacho {

struct UsageWatch {
  std::vector<pid_t> pids;     // the run's first processes, just started: one, or one a rank
  std::filesystem::path file;  // usage.jsonl; begun anew
  std::filesystem::path root = "/";
  std::chrono::milliseconds interval{100};
  std::function<Result<NvmlApi>()> nvml = load_nvml;
  PerfOpen perf = perf_open;
};

// Writes down what a run uses, from a thread of its own. A run of hours is looked at less often, a
// 6000th of its time apart and every 5 s at the least; so is a tree so large that a look would
// take more than 0.4 % of a processor.
//
// The end of a process is best seen before it is waited for, as its counters go with it:
//
//   auto usage = UsageSampler::start({.pids = {child.pid()}, .file = folder.usage()});
//   while (!child.ends_within(100ms)) …;
//   usage->look();
//   child.wait();
//   usage->ended(child.pid(), *child.usage());
//   usage->stop();
//
// Without look(), bytes read and written after the last look are missing from the counts by call;
// processor time, faults and bytes to storage are right as long as ended() is called.
class UsageSampler {
 public:
  // The first look is done when this returns.
  static std::unique_ptr<UsageSampler> start(UsageWatch watch);
  UsageSampler(const UsageSampler&) = delete;
  UsageSampler& operator=(const UsageSampler&) = delete;
  ~UsageSampler();  // stops

  void look();
  void ended(pid_t pid, const ChildUsage& usage);
  // Takes the last look and writes the facts. Once.
  void stop();
  // Why the file is not whole; the run goes on without it.
  [[nodiscard]] std::optional<Error> error() const;

 private:
  class Watcher;
  explicit UsageSampler(std::unique_ptr<Watcher> watcher);
  std::unique_ptr<Watcher> watcher_;
};

// How long to wait between looks, so far into a run.
Seconds usage_interval(Seconds asked, Seconds elapsed);

}  // namespace tacho
