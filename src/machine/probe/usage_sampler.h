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
#include "machine/probe/nvml_api.h"
#include "machine/probe/perf_counters.h"

namespace tacho {

struct UsageWatch {
  std::vector<pid_t> pids;     // first processes of the run, just started: one, or one per rank
  std::filesystem::path file;  // usage.jsonl; overwritten
  std::filesystem::path root = "/";
  std::chrono::milliseconds interval{100};
  std::function<Result<NvmlApi>()> nvml = load_nvml;
  PerfOpen perf = perf_open;
};

// Records the resource usage of a run in a separate thread. The interval grows with the run to a
// 6000th of its duration, up to 5 s; it also grows if sampling would take more than 0.35 % of a
// processor.
//
// Sample a process after its end but before it is waited for, because then its counters disappear:
//
//   auto usage = UsageSampler::start({.pids = {child.pid()}, .file = folder.usage()});
//   while (!child.ends_within(100ms)) …;
//   usage->look();
//   child.wait();
//   usage->ended(child.pid(), *child.usage());
//   usage->stop();
//
// Without look(), bytes read and written by calls after the last sample are missing; CPU time, page
// faults and bytes to storage are correct if ended() is called.
class UsageSampler {
 public:
  // Takes the first sample before it returns.
  static std::unique_ptr<UsageSampler> start(UsageWatch watch);
  UsageSampler(const UsageSampler&) = delete;
  UsageSampler& operator=(const UsageSampler&) = delete;
  ~UsageSampler();  // stops

  void look();
  void ended(pid_t pid, const ChildUsage& usage);
  // Takes the last sample and writes the facts. Call it once.
  void stop();
  // The reason why the file is incomplete; the run continues without it.
  [[nodiscard]] std::optional<Error> error() const;

 private:
  class Watcher;
  explicit UsageSampler(std::unique_ptr<Watcher> watcher);
  std::unique_ptr<Watcher> watcher_;
};

// Returns the interval between samples after `elapsed` of a run.
Seconds usage_interval(Seconds asked, Seconds elapsed);

}  // namespace tacho
