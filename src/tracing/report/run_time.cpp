#include "tracing/report/run_time.h"

#include <algorithm>

namespace tacho {
namespace {

// Trainings say how long their parts took.
std::vector<TimePart> of_training(const RunRecord& record) {
  double training = 0;
  double evaluation = 0;
  for (const EpochDone& epoch : record.epochs) {
    training += epoch.train_seconds;
    evaluation += epoch.eval_seconds;
  }
  const double rest = record.totals.wall_seconds - record.startup_seconds - training - evaluation;
  return {{"startup", "before the first step", record.startup_seconds},
          {"steps", "training epochs", training},
          {"evaluation", "evaluation", evaluation},
          {"other", "checkpoints, end, other attempts", rest}};
}

// Watched programs show when they made steps.
std::vector<TimePart> of_program(const RunRecord& record) {
  const StepsFound& found = *record.found_steps;
  const EnvironmentExited& exited = *record.environment_exited;
  const double began = exited.entered.value_or(exited.began);
  const double ended = exited.ended.value_or(exited.left);
  return {{"startup", "before the first step", found.began_at - began},
          {"steps", "steps", found.ended_at - found.began_at - found.paused_s},
          {"pauses", "pauses between steps", found.paused_s},
          {"other", "after the last step", ended - found.ended_at}};
}

}  // namespace

std::vector<TimePart> run_time_of(const RunRecord& record) {
  std::vector<TimePart> parts;
  if (!record.epochs.empty()) {
    parts = of_training(record);
  } else if (record.found_steps && record.found_steps->began_at > 0 && record.environment_exited) {
    parts = of_program(record);
  }
  double all = 0;
  for (TimePart& part : parts) {
    part.seconds = std::max(0.0, part.seconds);
    all += part.seconds;
  }
  if (all <= 0) return {};
  for (TimePart& part : parts) part.share = part.seconds / all;
  return parts;
}

}  // namespace tacho
