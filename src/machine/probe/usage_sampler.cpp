#include "machine/probe/usage_sampler.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/run_clock.h"
#include "base/signals.h"
#include "core/record/usage.h"
#include "machine/probe/cgroup_usage.h"
#include "machine/probe/host_probe.h"
#include "machine/probe/machine_probe.h"
#include "machine/probe/network_probe.h"
#include "machine/probe/nvml_probe.h"
#include "machine/probe/pressure_probe.h"
#include "machine/probe/process_tree_probe.h"
#include "machine/probe/rate_limiter.h"

namespace tacho {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMostOfACore = 0.0025;      // for sampling without GPUs
constexpr double kMostForGpus = 0.002;       // the driver takes milliseconds
constexpr double kMostForListing = 0.0005;   // of kMostOfACore: all processes of the machine
constexpr double kMostForChildren = 0.0003;  // of kMostOfACore: children of known processes
constexpr double kMostForThreads = 0.0005;   // of kMostOfACore: all threads
constexpr std::size_t kMostThreads = 16;
constexpr Seconds kMoment{0.05};

Seconds thread_cpu() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// The driver reports pids of the first pid namespace, outside of all containers.
bool in_first_pid_namespace(const std::filesystem::path& root) {
  std::error_code ignored;
  return std::filesystem::read_symlink(root / "proc/self/ns/pid", ignored) == "pid:[4026531836]";
}

}  // namespace

Seconds usage_interval(Seconds asked, Seconds elapsed) {
  constexpr Seconds kLongest{5};
  return std::clamp(elapsed / 6000, asked, std::max(asked, kLongest));
}

class UsageSampler::Watcher {
 public:
  explicit Watcher(UsageWatch watch)
      : watch_(std::move(watch)),
        tree_(watch_.pids, watch_.root),
        cgroup_(first_pid(), watch_.root),
        pressure_(first_pid(), watch_.root),
        network_(first_pid(), watch_.root),
        machine_(watch_.root) {
    const Seconds before = thread_cpu();
    for (const pid_t pid : watch_.pids) {
      counters_.push_back(PerfCounters::open(pid, watch_.root, watch_.perf));
    }
    // Follows no link and does not block on a pipe.
    constexpr int kConfined = O_NOFOLLOW | O_NONBLOCK;
    file_ = UniqueFd(::open(watch_.file.c_str(),
                            O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | kConfined, 0644));
    if (!file_) error_ = system_error(watch_.file, errno);
    // A program that ends this quickly rarely has descendants other than children.
    listing_.spent(begin_, Seconds(0), kMoment);
    cost_ += thread_cpu() - before;
    look();
    const SignalsBlocked blocked;
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  void look(bool last = false) {
    const std::scoped_lock lock(mutex_);
    const Seconds before = thread_cpu();
    const auto now = Clock::now();
    if (tree_.process_started()) {
      if (listing_.due(now)) {
        tree_.find_members();
        listing_.spent(now, thread_cpu() - before);
      } else if (children_.due(now)) {
        tree_.find_children();
        children_.spent(now, thread_cpu() - before);
      }
    }
    const bool deeper = threads_.due(now);
    if (deeper) {
      const Seconds begin = thread_cpu();
      tree_.look_deeper();
      // Short runs get as many samples as long ones.
      const Seconds pause = std::clamp(Seconds(now - begin_) / 4, Seconds(0.1), Seconds(1));
      threads_.spent(now, thread_cpu() - begin, pause);
    }
    UsageSample sample;
    sample.unix_seconds = clock_.now();
    tree_.look(sample);
    sample.throttled_s = cgroup_.throttled_s();
    pressure_.look(sample);
    if (deeper || last || samples_ == 0) look_at_others(sample);
    network_.look(sample);
    const Seconds for_gpus = look_at_gpus(sample, now, last);
    write(to_line(sample));
    if (samples_++ == 0) first_unix_ = sample.unix_seconds;
    last_unix_ = sample.unix_seconds;
    const Seconds cost = thread_cpu() - before;
    cost_ += cost;
    usual_cost_ = 0.9 * usual_cost_ + 0.1 * (cost - for_gpus);
  }

  void ended(pid_t pid, const ChildUsage& usage) {
    const std::scoped_lock lock(mutex_);
    tree_.ended(pid, usage);
  }

  void stop() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
    look(true);
    const std::scoped_lock lock(mutex_);
    write(to_line(facts()));
    file_.reset();
  }

  std::optional<Error> error() const {
    const std::scoped_lock lock(mutex_);
    return error_;
  }

 private:
  // Control group, pressure and network are those of the first process; the others share them.
  pid_t first_pid() const { return watch_.pids.empty() ? 0 : watch_.pids.front(); }

  // Other programs are all programs of the machine except the run and this process.
  void look_at_others(UsageSample& sample) {
    const double ours = sample.user_s + sample.system_s + own_cpu_s();
    if (samples_ == 0) ours_before_s_ = ours;
    const auto machine = machine_.look();
    if (!machine) return;
    const double others = machine->programs_s - (ours - ours_before_s_);
    sample.others_s = others_s_ = std::max(others_s_, others);
    sample.stolen_s = machine->stolen_s;
  }

  static double own_cpu_s() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return Seconds(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec))
        .count();
  }

  // Returns its cost. Never skips the last sample, so that energy is counted to the end.
  Seconds look_at_gpus(UsageSample& sample, Clock::time_point now, bool last) {
    if (!nvml_ || (!last && !gpus_.due(now))) return Seconds(0);
    const Seconds before = thread_cpu();
    NvmlProbe::IsOther is_other;
    if (in_first_pid_namespace_) {
      is_other = [this](std::int64_t pid) { return tree_.is_other(pid); };
    }
    sample.gpus = nvml_->look(now, is_other);
    const Seconds cost = thread_cpu() - before;
    gpus_.spent(now, cost);
    return cost;
  }

  void run(const std::stop_token& stop) {
    open_nvml();
    auto next = begin_;
    std::mutex asleep;
    std::condition_variable_any wake;
    while (!stop.stop_requested()) {
      const auto now = Clock::now();
      const Seconds pause = std::max(usage_interval(Seconds(watch_.interval), now - begin_),
                                     usual_cost() / kMostOfACore);
      next = std::max(next + std::chrono::duration_cast<Clock::duration>(pause), now);
      std::unique_lock lock(asleep);
      wake.wait_until(lock, stop, next, [] { return false; });
      if (!stop.stop_requested()) look();
    }
  }

  // Called from this thread, because starting an idle driver takes seconds.
  void open_nvml() {
    const Seconds before = thread_cpu();
    auto api = watch_.nvml();
    auto probe = api.ok() ? NvmlProbe::open(*std::move(api)) : Result<NvmlProbe>(api.error());
    const std::scoped_lock lock(mutex_);
    if (probe.ok()) {
      nvml_.emplace(*std::move(probe));
    } else {
      no_gpu_ = probe.error().message;
    }
    cost_ += thread_cpu() - before;
  }

  Seconds usual_cost() const {
    const std::scoped_lock lock(mutex_);
    return usual_cost_;
  }

  void write(const std::string& line) {
    if (error_) return;
    if (const auto written = write_all(file_.get(), line + "\n", watch_.file); !written.ok()) {
      error_ = written.error();
    }
  }

  UsageFacts facts() const {
    UsageFacts facts;
    if (samples_ > 1) {
      facts.interval_s = (last_unix_ - first_unix_) / static_cast<double>(samples_ - 1);
    }
    facts.cores = usable_cores(watch_.root);
    if (machine_.processors() > 0) facts.processors = machine_.processors();
    facts.memory_limit_bytes = usable_memory(watch_.root).count;
    facts.threads = tree_.busiest_threads(kMostThreads);
    const auto say = [&facts](const char* what, const std::string& problem) {
      if (!problem.empty()) facts.unavailable[what] = problem;
    };
    say("io", tree_.io_problem());
    say("throttling", cgroup_.problem());
    say("pressure", pressure_.problem());
    say("network", network_.problem());
    say("gpu", no_gpu_);
    if (nvml_) facts.unavailable.insert(nvml_->unavailable().begin(), nvml_->unavailable().end());
    add_hardware(facts);
    facts.sampler_cpu_s = cost_.count();
    return facts;
  }

  // A counter that is missing for one rank is missing in the sum. Memory counters are machine-wide.
  void add_hardware(UsageFacts& facts) const {
    for (const PerfCounters& counters : counters_) {
      facts.unavailable.insert(counters.unavailable().begin(), counters.unavailable().end());
      for (const auto& [name, value] : counters.read()) {
        const bool of_machine = name.starts_with("memory_");
        facts.hardware[name] = of_machine ? value : facts.hardware[name] + value;
      }
    }
    for (const auto& [name, why] : facts.unavailable) facts.hardware.erase(name);
  }

  const UsageWatch watch_;
  const Clock::time_point begin_ = Clock::now();
  const RunClock clock_;
  mutable std::mutex mutex_;  // protects everything below except the thread
  ProcessTreeProbe tree_;
  CgroupUsage cgroup_;
  PressureProbe pressure_;
  NetworkProbe network_;
  MachineProbe machine_;
  const bool in_first_pid_namespace_ = in_first_pid_namespace(watch_.root);
  double ours_before_s_ = 0;
  double others_s_ = 0;
  std::vector<PerfCounters> counters_;
  std::optional<NvmlProbe> nvml_;
  std::string no_gpu_;
  RateLimiter listing_{kMostForListing};
  RateLimiter children_{kMostForChildren};
  RateLimiter threads_{kMostForThreads};
  RateLimiter gpus_{kMostForGpus};
  UniqueFd file_;
  std::optional<Error> error_;
  Seconds cost_{};
  Seconds usual_cost_{};  // per sample
  std::int64_t samples_ = 0;
  double first_unix_ = 0;
  double last_unix_ = 0;
  std::jthread thread_;
};

UsageSampler::UsageSampler(std::unique_ptr<Watcher> watcher) : watcher_(std::move(watcher)) {}

UsageSampler::~UsageSampler() { stop(); }

std::unique_ptr<UsageSampler> UsageSampler::start(UsageWatch watch) {
  return std::unique_ptr<UsageSampler>(
      new UsageSampler(std::make_unique<Watcher>(std::move(watch))));
}

void UsageSampler::look() { watcher_->look(); }

void UsageSampler::ended(pid_t pid, const ChildUsage& usage) { watcher_->ended(pid, usage); }

void UsageSampler::stop() { watcher_->stop(); }

std::optional<Error> UsageSampler::error() const { return watcher_->error(); }

}  // namespace tacho
