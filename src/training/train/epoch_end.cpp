#include "training/train/epoch_end.h"

#include <fmt/format.h>

#include <utility>

#include "core/record/model_catalog.h"

namespace tacho {

Result<std::optional<TrainEnd>> EpochEnd::finish(EpochDone done, const Stopwatch& watch) {
  const auto& [training, input, model, optimizer, engine, checkpoints, average, team] = parts_;
  TACHO_CHECK(report_notes(*input.train));
  TACHO_TRY(scores, of_all(engine.scores()));
  done.samples = (scores.hits.samples + scores.hits.ignored) / tokens_per_sample(spec_).value_or(1);
  done.train_loss = scores.mean_loss();
  done.train_top1 = scores.hits.top1_share();
  done.train_seconds = watch.seconds();

  const Stopwatch eval_watch;
  // Each rank's batch norms have seen different samples; one model is evaluated and saved.
  if (team != nullptr) TACHO_CHECK(team->share_buffers(model));
  if (average != nullptr) {
    average->swap(optimizer);
    if (team != nullptr) TACHO_CHECK(team->share_buffers(model));
  }
  TACHO_TRY(result, evaluate());
  if (!result) return std::optional(stopped_by_a_signal());
  done.eval_loss = result->mean_loss();
  done.top1 = result->hits.top1_share();
  done.top5 = result->hits.top5_share();
  done.eval_seconds = eval_watch.seconds();
  TACHO_CHECK(training.report(done));
  ++progress_.epochs;
  progress_.top1 = done.top1;
  progress_.best.add(progress_.epochs, spec_.best_by, done.top1, done.eval_loss);
  if (spec_.checkpoints && (team == nullptr || team->leads())) TACHO_CHECK(save_checkpoint());
  if (average != nullptr) average->swap(optimizer);
  return early_end();
}

Result<Scores> EpochEnd::of_all(const Scores& mine) const {
  if (parts_.team == nullptr) return mine;
  return parts_.team->total(mine);
}

Result<std::optional<Scores>> EpochEnd::evaluate() {
  const torch::NoGradGuard no_grad;
  BatchSource& source = *parts_.input.eval;
  StepEngine& engine = parts_.engine;
  parts_.model.eval();
  source.begin_epoch(0);
  engine.begin();
  Batch batch;
  while (true) {
    engine.input_taken();
    TACHO_TRY(more, source.next(batch));
    if (!more) break;
    if (parts_.training.stop) return std::optional<Scores>();
    if (batch.weight != 0) engine.evaluate(batch);
  }
  TACHO_CHECK(report_notes(source));
  TACHO_TRY(scores, of_all(engine.scores()));
  return std::optional(scores);
}

Result<void> EpochEnd::report_notes(BatchSource& source) {
  for (std::string& note : source.take_notes()) {
    TACHO_CHECK(parts_.training.report(Note{std::move(note)}));
  }
  return {};
}

Result<void> EpochEnd::save_checkpoint() {
  const Stopwatch watch;
  TACHO_TRY(written, parts_.checkpoints.save(progress_));
  return parts_.training.report(
      CheckpointWritten{progress_.epochs, written.file, written.size.count, watch.seconds()});
}

std::optional<TrainEnd> EpochEnd::early_end() const {
  if (spec_.target_top1 && progress_.top1 >= *spec_.target_top1) {
    return TrainEnd{Outcome::ok, fmt::format("reached the target in epoch {}", progress_.epochs)};
  }
  const std::int64_t waited = progress_.epochs - progress_.best.epoch;
  if (!spec_.patience || waited < *spec_.patience) return std::nullopt;
  return TrainEnd{
      Outcome::ok,
      fmt::format("stopped after {} epoch{} without a better {}; the best was epoch {}", waited,
                  waited == 1 ? "" : "s", kBestBys.of(spec_.best_by), progress_.best.epoch)};
}

TrainEnd stopped_by_a_signal() { return TrainEnd{Outcome::cancelled, "stopped by a signal"}; }

}  // namespace tacho
