#include <fmt/format.h>

#include <chrono>
#include <system_error>

#include "base/start_report.h"
#include "core/emit/json_lines_sink.h"
#include "experiments/runner/event_tail.h"
#include "experiments/runner/gpu_tracing.h"
#include "experiments/runner/run_state.h"
#include "experiments/runner/runner.h"
#include "experiments/runner/time_limit.h"
#include "experiments/runner/worker_group.h"
#include "machine/probe/usage_sampler.h"

namespace tacho {
namespace {

constexpr std::chrono::milliseconds kLookEvery{100};
constexpr std::chrono::milliseconds kLookForProcessesEvery{10};

// Returns outcome and reason of workers that wrote no "end" event.
std::pair<Outcome, std::string> explain(const WorkerGroup& workers, const RunOrder& order) {
  if (workers.stop_requested()) return {Outcome::cancelled, "stopped by the user"};
  if (workers.out_of_memory()) return {Outcome::out_of_memory, memory_limit_words(order)};
  return {Outcome::failed, workers.explain()};
}

std::size_t size_or_zero(const std::filesystem::path& file) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(file, missing);
  return missing ? 0 : size;
}

// A full disk does not end the run here; the worker reports it.
void write_event(const RunFolder& folder, const RunClock& clock, EventBody body) {
  auto events = JsonLinesSink::open(folder.events());
  if (events.ok()) (void)(*events)->write({clock.now(), std::move(body)}).ok();
}

}  // namespace

Result<FinishedRun> Runner::supervise(const Job& job, RunView& view) {
  const RunFolder& folder = job.folder;
  RunContainer& container = job.prepared.container;
  const RunClock& clock = container.clock();
  const bool resumed = size_or_zero(folder.events()) > 0;
  write_event(folder, clock, container.facts());
  if (const auto mbit = job.prepared.launch.line_mbit) {
    write_event(folder, clock,
                Note{fmt::format("{} network namespaces of this machine simulate machines, "
                                 "each with a link of {} Mbit/s",
                                 job.prepared.launch.nodes(), *mbit)});
  }
  report_started("run", job.id);
  view.started(job.id, job.order);
  const std::size_t events_before = size_or_zero(folder.events());
  EventTail tail(folder.events(), events_before);
  const auto show_new = [&] {
    // A line that cannot be read is reported when the record is computed; the view skips it.
    const auto events = tail.read_new();
    if (!events.ok()) return;
    for (const Event& event : *events) view.event(event);
  };
  const auto finish = [&](Outcome outcome, const std::string& reason,
                          const WorkerGroup* workers) -> Result<FinishedRun> {
    const bool no_events = size_or_zero(folder.events()) == events_before;
    if (workers != nullptr) write_event(folder, clock, workers->exited());
    // Cleans up while the run is stored as running: if tacho is killed here, reconcile() continues.
    const auto cleaned = container.clean_up();
    if (!cleaned.ok()) write_event(folder, clock, Note{cleaned.error().message});
    TACHO_TRY(record, close_run(folder, outcome, reason));
    TACHO_TRY(same_id, keep(record, folder));
    // The record describes the earlier attempts and would not contain the reason.
    if (no_events && resumed) {
      return Error{ErrorCode::failed, fmt::format("cannot resume run {}: {}", job.id, reason)};
    }
    return FinishedRun{same_id, std::move(record)};
  };

  GpuTracing tracing = job.order.spec.trace ? prepare_gpu_tracing(folder) : GpuTracing{};
  if (!tracing.problem.empty()) return finish(Outcome::failed, tracing.problem, nullptr);
  std::vector<std::filesystem::path> reads = job.prepared.reads;
  reads.insert(reads.end(), tracing.files.begin(), tracing.files.end());
  TimeLimit limit(job.order.time_limit_s, TimeLimit::Clock::now());
  auto workers = WorkerGroup::start({job.prepared.worker, home_, folder, job.prepared.launch,
                                     WorkerGroup::patience_of(job.order.spec.dist), container,
                                     tracing.environment, std::move(reads)});
  if (!workers.ok()) return finish(Outcome::failed, workers.error().message, nullptr);
  std::vector<pid_t> pids;
  std::unique_ptr<UsageSampler> sampler;
  const auto sample = [&] {
    if (sampler || (pids = workers->first_processes()).empty()) return;
    sampler = UsageSampler::start({.pids = pids, .file = folder.usage()});
  };
  sample();
  while (!workers->wait_for(sampler ? kLookEvery : kLookForProcessesEvery)) {
    sample();
    workers->forward_interrupts(interrupts_);
    if (const int signal = limit.due(TimeLimit::Clock::now())) {
      if (signal == SIGTERM) write_event(folder, clock, TimeLimitReached{limit.seconds()});
      workers->signal(signal);
    }
    show_new();
    view.tick();
  }
  show_new();
  if (sampler) {
    const auto used = workers->usage();
    for (std::size_t i = 0; i < pids.size(); ++i) sampler->ended(pids[i], used[i]);
    sampler->stop();
  }
  const auto [outcome, reason] = explain(*workers, job.order);
  const bool by_us = limit.reached() || outcome != Outcome::failed;
  if (store_ == nullptr && !by_us && workers->killed_from_outside()) {
    return Error{ErrorCode::failed, "lost: " + reason};
  }
  return finish(outcome, reason, &*workers);
}

}  // namespace tacho
