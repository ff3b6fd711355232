#include <fmt/format.h>

#include <memory>

#include "base/enum_array.h"
#include "base/home.h"
#include "base/start_report.h"
#include "cli/commands.h"
#include "cli/sweep_live.h"
#include "cli/sweep_work.h"
#include "experiments/predictions/prediction_recorder.h"
#include "experiments/predictions/sweep_advisor.h"
#include "experiments/runner/sweep_plan.h"
#include "experiments/runner/sweep_runner.h"
#include "experiments/runner/sweep_tables.h"

namespace tacho {
namespace {

Result<void> apply_options(SweepSettings& settings, const SweepOptions& o) {
  if (o.launcher && *o.launcher != settings.launcher.kind) {
    settings.launcher = {.kind = *o.launcher, .slots = settings.launcher.slots};
  }
  if (o.slots) {
    if (*o.slots < 1) return Error{ErrorCode::usage, "--slots must be at least 1"};
    settings.launcher.slots = *o.slots;
  }
  for (const std::string& text : o.launcher_options) {
    const std::size_t at = text.find('=');
    if (at == 0 || at == std::string::npos) {
      return Error{ErrorCode::usage,
                   fmt::format("--set takes NAME=VALUE, such as partition=gpu, not '{}'", text)};
    }
    settings.launcher.options[text.substr(0, at)] = text.substr(at + 1);
  }
  if (o.budget_runs) settings.budget.runs = *o.budget_runs;
  if (o.budget_hours) settings.budget.hours = *o.budget_hours;
  if (settings.budget.runs.value_or(1) < 1 || settings.budget.hours.value_or(1) <= 0) {
    return Error{ErrorCode::usage, "the budget must be above 0"};
  }
  return {};
}

// A sweep succeeds if all of its runs have a result; out of memory is a result.
int exit_code_of(const SweepCounts& counts, SweepDriver::End end) {
  if (end == SweepDriver::End::stopped || end == SweepDriver::End::cancelled) return kFailure;
  for (const Outcome bad : {Outcome::failed, Outcome::timed_out, Outcome::cancelled}) {
    const auto found = counts.outcomes.find(bad);
    if (found != counts.outcomes.end() && found->second > 0) return kFailure;
  }
  return kSuccess;
}

Result<int> drive(Stores& stores, const SweepRow& sweep, const SweepSettings& settings,
                  const SweepOptions& o, Context& context) {
  TACHO_TRY(metric, sweep_metric(o.sort));
  catch_interrupts();
  outlive_readers();
  std::unique_ptr<SweepView> view;
  if (o.json) {
    view = std::make_unique<SweepEvents>();
  } else {
    TACHO_TRY(options, options_of(stores.sweeps, sweep));
    view = std::make_unique<SweepLines>(context.err, metric, options);
  }
  TACHO_TRY(end, drive_sweep(stores, sweep, settings, metric, *view));
  view.reset();
  TACHO_TRY(counts, stores.sweeps.counts(sweep.id));
  constexpr EnumArray<SweepDriver::End, std::string_view, 4> kEnds = {"complete", "budget_spent",
                                                                      "stopped", "cancelled"};
  const std::string_view ended = kEnds[end];
  if (o.json) {
    SweepEvents::print({{"event", "ended"}, {"end", ended}, {"counts", counts_json(counts)}});
  } else {
    TACHO_TRY(lines, sweep_lines(stores.sweeps, sweep));
    if (metric != nullptr) sort_by(lines, *metric);
    constexpr std::size_t kMostLines = 200;
    if (lines.size() <= kMostLines) context.print(sweep_table(lines, metric, context.out));
    context.print(summary_line(sweep, counts, std::string(ended)));
  }
  const std::int64_t left =
      counts.states.at(SweepTaskState::waiting) + counts.states.at(SweepTaskState::submitted);
  if (end == SweepDriver::End::stopped) {
    context.warn(fmt::format("resume with: tacho sweep resume {}", sweep.id));
  } else if (end == SweepDriver::End::budget_spent) {
    context.warn(
        fmt::format("the budget is spent, {} runs are left; continue with a larger one: "
                    "tacho sweep resume {} --budget-runs N",
                    left, sweep.id));
  }
  return exit_code_of(counts, end);
}

// Sums the predicted times of all runs for which there are similar runs on this machine.
std::string predicted_time(const std::vector<PlannedRun>& runs, PredictionRecorder& predictions) {
  Estimate all;
  std::size_t predicted = 0;
  for (const PlannedRun& run : runs) {
    const auto prediction = run.asked.command ? std::nullopt : predictions.predict(run.asked.spec);
    if (!prediction || !prediction->total_seconds) continue;
    ++predicted;
    // Adds the ends of intervals, because errors of similar runs are correlated.
    all.value += prediction->total_seconds->value;
    all.low += prediction->total_seconds->low;
    all.high += prediction->total_seconds->high;
  }
  if (predicted == 0) return "no time estimate: no similar runs on this machine yet";
  const std::string which =
      predicted == runs.size() ? "" : fmt::format(" of {} of them", predicted);
  return fmt::format("estimated run time{}: {} ({} to {})", which, human(Seconds(all.value)),
                     human(Seconds(all.low)), human(Seconds(all.high)));
}

}  // namespace

Result<SweepDriver::End> drive_sweep(Stores& stores, const SweepRow& sweep,
                                     const SweepSettings& settings, const Metric* metric,
                                     SweepView& view) {
  SweepAdvisor advisor(stores.sweeps, stores.runs, {.metric = metric});
  PredictionRecorder predictions(stores.runs, stores.home / "tacho.db",
                                 [&](const std::string& problem) { view.note(problem); });
  SweepRunner runner(stores.home, stores.sweeps, interrupts(), &predictions);
  auto driven = runner.drive(sweep, settings, view, choose_by(advisor));
  predictions.settle();
  return driven;
}

Result<int> begin_sweep(const SweepOptions& o, Context& context) {
  TACHO_TRY(plan, read_sweep_plan(o.grid));
  SweepSettings settings = settings_of(plan.grid);
  TACHO_CHECK(apply_options(settings, o));
  if (o.dry_run) {
    if (o.json) {
      context.print(json_text(plan_json(plan.runs), 1) + "\n");
      return kSuccess;
    }
    TACHO_TRY(store, context.open_store());
    TACHO_TRY(home, tacho_home());
    PredictionRecorder predictions(store, home / "tacho.db",
                                   [&](const std::string& problem) { context.warn(problem); });
    context.print(plan_table(plan.runs, context.out));
    context.print(fmt::format("{} runs on {}; {}\n", plan.runs.size(), settings.launcher.kind,
                              predicted_time(plan.runs, predictions)));
    return kSuccess;
  }
  TACHO_TRY(stores, open_stores(context));
  SweepRunner runner(stores.home, stores.sweeps, interrupts());
  TACHO_CHECK(runner.check(settings));
  const std::string name =
      plan.grid.name.empty() ? std::filesystem::path(o.grid).stem().string() : plan.grid.name;
  TACHO_TRY(sweep, runner.add(name, plan.text, plan.runs, settings));
  return drive(stores, sweep, settings, o, context);
}

Result<int> resume_sweep(const SweepOptions& o, bool retry, Context& context) {
  TACHO_TRY(stores, open_stores(context));
  TACHO_TRY(sweep, stores.sweeps.find(o.handle));
  SweepRunner runner(stores.home, stores.sweeps, interrupts());
  TACHO_TRY(settings, settings_of(sweep));
  TACHO_CHECK(apply_options(settings, o));
  const bool was_cancelled = sweep.state == SweepState::cancelled;
  if ((retry || was_cancelled) && runner.is_driven(sweep)) {
    return Error{ErrorCode::usage, fmt::format("sweep {} is still running", sweep.id)};
  }
  if (retry) {
    TACHO_TRY(again, stores.sweeps.retry_failed(sweep.id));
    context.say(fmt::format("{} runs are retried", again));
  } else if (was_cancelled) {
    TACHO_CHECK(stores.sweeps.reopen(sweep.id));
  }
  TACHO_CHECK(stores.sweeps.set_settings(sweep.id, json_text(to_json(settings))));
  return drive(stores, sweep, settings, o, context);
}

Result<int> cancel_sweep(const SweepOptions& o, Context& context) {
  TACHO_TRY(stores, open_stores(context));
  TACHO_TRY(sweep, stores.sweeps.find(o.handle));
  if (sweep.state == SweepState::finished) {
    return Error{ErrorCode::usage, fmt::format("sweep {} is finished", sweep.id)};
  }
  SweepRunner runner(stores.home, stores.sweeps, interrupts());
  catch_interrupts();
  TACHO_TRY(options, options_of(stores.sweeps, sweep));
  SweepLines view(context.err, nullptr, options);
  TACHO_CHECK(runner.cancel(sweep, view));
  TACHO_TRY(counts, stores.sweeps.counts(sweep.id));
  report_started("sweep", sweep.id);
  context.print(summary_line(sweep, counts, "cancelled"));
  return kSuccess;
}

}  // namespace tacho
