#include <chrono>
#include <csignal>

#include "base/start_report.h"
#include "core/emit/json_lines_sink.h"
#include "experiments/runner/event_tail.h"
#include "experiments/runner/gpu_tracing.h"
#include "experiments/runner/run_start.h"
#include "experiments/runner/run_state.h"
#include "experiments/runner/runner.h"
#include "experiments/runner/time_limit.h"
#include "experiments/runner/watched_program.h"

namespace tacho {
namespace {

RunEnded end_of_run(const WatchedProgram::End& end) {
  RunEnded ended;
  ended.outcome = end.outcome;
  ended.reason = end.reason;
  ended.wall_seconds = end.wall_seconds;
  ended.user_seconds = end.usage.user.count();
  ended.system_seconds = end.usage.system.count();
  ended.peak_memory_bytes = end.usage.peak_memory.count;
  ended.minor_faults = end.usage.minor_faults;
  ended.major_faults = end.usage.major_faults;
  return ended;
}

}  // namespace

Result<WatchedRun> Runner::watch(const RunOrder& order, bool echo, RunView& view) {
  if (!order.command) broken_invariant("the order has no program to watch");
  const CommandSpec& command = *order.command;
  TACHO_CHECK(check(command));
  if (order.environment.kind == EnvironmentKind::bare) {
    TACHO_CHECK(find_program(command.argv.front()));
  }
  TACHO_TRY(container, RunContainer::open(order, folder_of(order), home_));
  TACHO_TRY(begun, begin(order));
  return watch_begun(begun, order, container, echo, view);
}

Result<WatchedRun> Runner::watch_begun(const Begun& begun, const RunOrder& order,
                                       RunContainer& container, bool echo, RunView& view) {
  constexpr std::chrono::milliseconds kLook{100};
  const CommandSpec& command = *order.command;
  const RunFolder& folder = begun.folder;
  const RunClock& clock = container.clock();
  const auto finish = [&](const RunEnded& ended) -> Result<RunRecord> {
    if (auto events = JsonLinesSink::open(folder.events()); events.ok()) {
      (void)(*events)->write({clock.now(), ended}).ok();
    }
    TACHO_TRY(record, close_run(folder, ended.outcome, ended.reason));
    TACHO_CHECK(keep(record, folder));
    return record;
  };

  TACHO_TRY(events, JsonLinesSink::open(folder.events()));
  TACHO_CHECK(events->write({clock.now(), container.facts()}));
  TACHO_CHECK(events->write({clock.now(), start_of_run()}));
  const GpuTracing tracing = command.trace ? prepare_gpu_tracing(folder) : GpuTracing{};
  if (!tracing.problem.empty()) TACHO_CHECK(events->write({clock.now(), Note{tracing.problem}}));
  report_started("run", begun.id);
  view.started(begun.id, order);
  auto program = WatchedProgram::start({order, folder, container, tracing, echo});
  if (!program.ok()) {
    TACHO_CHECK(finish({.outcome = Outcome::failed, .reason = program.error().message}));
    return program.error();
  }
  EventTail tail(folder.events(), 0);
  const auto show_new = [&] {
    const auto fresh = tail.read_new();
    if (!fresh.ok()) return;
    for (const Event& event : *fresh) view.event(event);
  };
  TimeLimit limit(order.time_limit_s, TimeLimit::Clock::now());
  while (!program->wait_for(kLook)) {
    program->forward_interrupts(interrupts_);
    if (const int signal = limit.due(TimeLimit::Clock::now())) {
      if (signal == SIGTERM) {
        (void)events->write({clock.now(), TimeLimitReached{limit.seconds()}}).ok();
      }
      program->signal(signal);
    }
    show_new();
    view.tick();
  }
  WatchedProgram::End end = program->finish();
  // Podman's client ends with 0 at a signal that comes before it knows that its container runs.
  const bool ended_inside = end.exited.ended.has_value();
  if (limit.reached() && !ended_inside && end.status.success()) {
    end.status.signal = SIGTERM;
    end.outcome = Outcome::failed;
  }
  // Ignores write errors: even if the disk is full, the run must get its end.
  for (const EventBody& seen : gpu_trace_events(folder)) {
    (void)events->write({clock.now(), seen}).ok();
  }
  (void)events->write({clock.now(), end.exited}).ok();
  // Cleans up while the run is stored as running: if tacho is killed here, reconcile() continues.
  if (const auto cleaned = container.clean_up(); !cleaned.ok()) {
    (void)events->write({clock.now(), Note{cleaned.error().message}}).ok();
  }
  show_new();
  const bool by_us = limit.reached() || end.outcome != Outcome::failed;
  if (store_ == nullptr && !by_us && end.status.signal == SIGKILL) {
    return Error{ErrorCode::failed, "lost: " + end.reason};
  }
  TACHO_TRY(record, finish(end_of_run(end)));
  return WatchedRun{{begun.id, std::move(record)}, end.status};
}

}  // namespace tacho
