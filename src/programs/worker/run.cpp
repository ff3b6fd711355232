#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/file.h"
#include "base/home.h"
#include "base/run_clock.h"
#include "base/signals.h"
#include "base/version.h"
#include "core/emit/json_lines_sink.h"
#include "core/emit/tensorboard_sink.h"
#include "core/record/checkpoint_files.h"
#include "core/record/event_log.h"
#include "core/record/model_catalog.h"
#include "core/record/run_folder.h"
#include "machine/comm/place.h"
#include "machine/probe/host_probe.h"
#include "machine/probe/self_usage.h"
#include "programs/worker/commands.h"
#include "programs/worker/yielding_waits.h"
#include "training/train/cpu_paths.h"
#include "training/train/torch_facts.h"
#include "training/train/trainer.h"

namespace tacho {
namespace {

// One attempt at a run, from reading its order to its "end" event. Only rank 0 writes into the
// run's folder; notes of the other ranks go to their logs.
class Attempt {
 public:
  Attempt(RunFolder folder, std::optional<Place> place)
      : folder_(std::move(folder)), place_(std::move(place)) {}

  // Returns an Error only if even the "end" event could not be written.
  Result<Outcome> carry_out() {
    TACHO_CHECK(open());
    const auto paths = choose_paths();
    TACHO_CHECK(report_start(paths.ok() ? *paths : ComputePaths{}));
    if (!paths.ok()) return end(ended_by(paths.error()));
    if (auto usable = check_device(); !usable.ok()) {
      return end({Outcome::failed, usable.error().message});
    }
    const Report report = [this](const EventBody& body) { return write(clock_.now(), body); };
    const Training training{
        order_, folder_,          home_,  *paths,
        report, stop_requested(), place_, [this](const std::string& why) {
                              end_at_once(why); }};
    const auto ended = train(training);
    if (ended.ok()) return end(*ended);
    return end({Outcome::failed, ended.error().message});
  }

 private:
  Result<void> open() {
    TACHO_TRY(home, tacho_home());
    home_ = home;
    TACHO_TRY(order, folder_.read_order());
    order_ = std::move(order);
    TACHO_CHECK(check(order_.spec));
    if (!writes()) return {};
    TACHO_TRY(events, read_events(folder_.events()));
    attempt_ = 1 + std::count_if(events.begin(), events.end(), [](const Event& event) {
                 return std::holds_alternative<RunStarted>(event.body);
               });
    TACHO_TRY(lines, JsonLinesSink::open(folder_.events()));
    sinks_.push_back(std::move(lines));
    if (order_.spec.tensorboard) {
      TACHO_TRY(board, TensorBoardSink::open(folder_.tensorboard(), began_));
      sinks_.push_back(std::move(board));
    }
    return {};
  }

  Result<ComputePaths> choose_paths() {
    host_ = read_host();
    if (!order_.spec.stock) {
      tune_process();
      yielding_.emplace();
    }
    return choose_cpu_paths({.threads = order_.spec.threads.value_or(default_threads()),
                             .mkldnn = order_.spec.mkldnn,
                             .stock = order_.spec.stock,
                             .device = order_.spec.device,
                             .cpu = host_.cpu,
                             .cache_file = home_ / "cache" / "cpu-paths.json"});
  }

  // 0, torch's choice, if stock.
  [[nodiscard]] std::int64_t default_threads() const {
    if (order_.spec.stock) return 0;
    if (order_.spec.device != Device::cpu) return share_of_cores();
    const auto model = find_model(order_.spec.model);
    return model.ok() && order_.spec.batch <= (*model)->one_thread_batch ? 1 : share_of_cores();
  }

  // The ranks of one machine divide its cores.
  [[nodiscard]] std::int64_t share_of_cores() const {
    return place_ ? cores_of_rank(host_.cores, *place_, process_environment()) : host_.cores;
  }

  [[nodiscard]] bool writes() const { return !place_ || place_->rank == 0; }

  Result<void> report_start(const ComputePaths& paths) {
    RunStarted started{
        attempt_, newest_checkpoint_epoch(folder_), kVersion, kCommit, torch_version(), host_,
        paths};
    return write(began_, started);
  }

  [[nodiscard]] Result<void> check_device() const {
    if (order_.spec.device == Device::cpu || cuda_device_count() > 0) return {};
    return Error{ErrorCode::unavailable,
                 "torch sees no CUDA device; build with the cuda preset on a machine with a GPU, "
                 "or use --device cpu"};
  }

  static TrainEnd ended_by(const Error& error) {
    const bool no_memory = error.code == ErrorCode::out_of_memory;
    return {no_memory ? Outcome::out_of_memory : Outcome::failed, error.message};
  }

  Result<Outcome> end(const TrainEnd& how) {
    const SelfUsage usage = self_usage();
    TACHO_CHECK(write(clock_.now(),
                      RunEnded{how.outcome, how.reason, clock_.now() - began_, usage.user.count(),
                               usage.system.count(), usage.peak_memory.count,
                               how.device_memory_bytes, usage.minor_faults, usage.major_faults}));
    return how.outcome;
  }

  // Ends this process while the training thread waits for a lost rank.
  void end_at_once(const std::string& why) {
    const bool stopped = stop_requested();
    (void)end(
        {stopped ? Outcome::cancelled : Outcome::failed, stopped ? "stopped by a signal" : why})
        .ok();
    std::_Exit(1);
  }

  Result<void> write(double time, const EventBody& body) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(has_ended_, std::holds_alternative<RunEnded>(body) || has_ended_)) return {};
    const Event event{time, body};
    for (auto& sink : sinks_) TACHO_CHECK(sink->write(event));
    if (writes()) return {};
    say(body);
    if (!std::holds_alternative<RanksReady>(body)) return {};
    return write_file_atomically(folder_.path() / kRanksMetFile, "", Outlives::kill);
  }

  static void say(const EventBody& body) {
    if (const auto* note = std::get_if<Note>(&body)) fmt::print(stderr, "{}\n", note->text);
    const auto* ended = std::get_if<RunEnded>(&body);
    if (ended != nullptr && !ended->reason.empty()) fmt::print(stderr, "{}\n", ended->reason);
  }

  const RunClock clock_ = RunClock::inherited();
  const double began_ = clock_.now();
  RunFolder folder_;
  std::optional<Place> place_;
  std::filesystem::path home_;
  RunOrder order_;
  Host host_;
  std::optional<YieldingWaits> yielding_;
  std::int64_t attempt_ = 1;
  std::mutex mutex_;  // guards all below: end_at_once() may run while the training thread waits
  std::vector<std::unique_ptr<EventSink>> sinks_;
  bool has_ended_ = false;
};

int cannot_start(const Error& error) {
  fmt::print(stderr, "tacho-worker: {}\n", error.message);
  return kCannotStart;
}

}  // namespace

int run_order(const std::filesystem::path& path) {
  catch_interrupts();
  const RunFolder folder(path);
  const auto place = place_from_environment(process_environment());
  if (!place.ok()) return cannot_start(place.error());
  const auto shared = FileLock::take(folder.lock(), FileLock::Kind::shared);
  if (!shared.ok()) return cannot_start(shared.error());
  std::optional<FileLock> alone;
  if (!*place || (*place)->rank == 0) {
    auto taken = FileLock::take(folder.worker_lock(), FileLock::Kind::exclusive);
    if (!taken.ok()) return cannot_start(taken.error());
    alone = std::move(*taken);
  }
  const auto outcome = Attempt(folder, *place).carry_out();
  if (!outcome.ok()) {
    fmt::print(stderr, "tacho-worker: {}\n", outcome.error().message);
    return outcome.error().code == ErrorCode::io ? kCannotReport : kCannotStart;
  }
  return *outcome == Outcome::ok ? 0 : 1;
}

}  // namespace tacho
