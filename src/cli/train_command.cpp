#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "base/home.h"
#include "cli/commands.h"
#include "cli/job_secret_source.h"
#include "cli/live_view.h"
#include "cli/run_report.h"
#include "cli/take_part.h"
#include "cli/train_options.h"
#include "core/store/run_tables.h"
#include "experiments/predictions/prediction_recorder.h"
#include "experiments/runner/restarts.h"

namespace tacho {
namespace {

// A resumed run keeps its options, except for those that place ranks; others would be ignored.
Result<void> check_resume_alone(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool harmless = name == "--resume" || name == "--checkpoint" || name == "--json" ||
                          name == "--mllog" || name == "--max-restarts" || places_ranks(name);
    if (option->count() > 0 && !harmless) {
      return Error{ErrorCode::usage,
                   fmt::format("--resume keeps the options of the run; leave out {}", name)};
    }
  }
  return {};
}

void show(std::int64_t id, const RunRecord& record, const TrainOptions& o, Context& context) {
  if (o.json) {
    context.print(json_text(record_json(id, record), 1) + "\n");
  } else if (!o.mllog) {
    context.print(run_report(id, record, context.out));
  }
}

Result<int> train(const CLI::App& command, const TrainOptions& o, Context& context) {
  const bool resumes = !o.resume.empty();
  TACHO_TRY(given, place_from_environment(process_environment()));
  TACHO_TRY(settings, settings_of(command, o));
  TACHO_TRY(standing, standing_of(o.ranks, settings, given));
  RunOrder order;
  CheckpointKind from = CheckpointKind::last;
  if (resumes) {
    TACHO_CHECK(check_resume_alone(command));
    if (!o.checkpoint.empty()) {
      TACHO_TRY(named, kCheckpointKinds.parse(o.checkpoint).in("--checkpoint"));
      from = named;
    }
  } else {
    TACHO_TRY(asked, train_request(settings));
    if (given) asked.spec.dist = as_given(asked.spec.dist, *given);
    TACHO_CHECK(settle_accumulation(asked.spec));
    TACHO_CHECK(check(asked.spec));
    order = new_order(asked);
    if (!o.job.empty()) {
      TACHO_TRY(home, tacho_home());
      TACHO_TRY(key, key_of_job(o.job, home));
      if (keeps_record(standing))
        order.key = key;  // the other ranks' processes are not of this run
    }
    TACHO_CHECK(settle_secret(standing, o.ranks, order.spec.dist, context));
  }
  if (!resumes && !keeps_record(standing)) {
    return take_part(order, standing, o.max_restarts, context);
  }
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, context.open_store());
  PredictionRecorder predictions(store, home / "tacho.db",
                                 [&](const std::string& problem) { context.warn(problem); });
  Runner runner = context.runner(store, home, &predictions);
  if (resumes && (standing.given || standing.has_rendezvous())) {
    TACHO_TRY(ordered, runner.ordered(o.resume).in("every machine needs the store of rank 0"));
    TACHO_CHECK(settle_secret(standing, o.ranks, ordered.spec.dist, context));
    if (!keeps_record(standing)) return take_part(ordered, standing, o.max_restarts, context);
  }
  std::string handle = o.resume;
  if (!o.job.empty()) {
    TACHO_TRY(begun, run_of_job(store, home, order));
    if (begun && begun->record.outcome == Outcome::ok) {
      show(begun->id, begun->record, o, context);
      return kSuccess;
    }
    if (begun) handle = order.key;
  }
  catch_interrupts();
  const LiveView::Options shown{.quiet = (o.json || o.mllog) && !context.err.interactive(),
                                .mllog = o.mllog};
  const auto attempt = [&](std::optional<std::int64_t> failed) {
    LiveView view(context.err, shown);
    if (failed) return runner.resume(std::to_string(*failed), standing, view);
    return handle.empty() ? runner.run(order, standing, view)
                          : runner.resume(handle, standing, view, from);
  };
  auto finished = train_with_restarts(o.max_restarts, attempt,
                                      [&](const std::string& words) { context.warn(words); });
  predictions.settle();
  if (!finished.ok()) return finished.error();

  const RunRecord& record = finished->record;
  show(finished->id, record, o, context);
  if (record.outcome == Outcome::ok) return kSuccess;
  if (record.outcome == Outcome::cancelled && !record.checkpoints.empty()) {
    context.warn(fmt::format("resume with: tacho train --resume {}", finished->id));
  }
  if (o.json || o.mllog) context.warn(record.reason);
  return kFailure;
}

}  // namespace

void add_train_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("train", "train a model and record the run");
  auto options = std::make_shared<TrainOptions>();
  declare(*command, *options);
  command->callback([command, options, &context] {
    context.run([&] { return train(*command, *options, context); });
  });
}

}  // namespace tacho
