#pragma once

#include <optional>

#include "base/result.h"
#include "core/record/event.h"
#include "training/train/checkpoint.h"
#include "training/train/dist/team.h"
#include "training/train/input/batch_source.h"
#include "training/train/step_engine.h"
#include "training/train/stopwatch.h"
#include "training/train/trainer.h"
#include "training/train/weight_average.h"

namespace tacho {

// What follows the last step of an epoch: its scores, the evaluation, the checkpoint, and the
// decision whether training is done.
class EpochEnd {
 public:
  struct Parts {
    const Training& training;
    const InputParts& input;
    Classifier& model;
    Optimizer& optimizer;
    StepEngine& engine;
    Checkpoints& checkpoints;
    WeightAverage* average;  // null: the weights themselves are evaluated and saved
    Team* team;              // null if it trains alone
  };
  // `progress` counts the finished epochs.
  EpochEnd(const Parts& parts, Progress& progress)
      : parts_(parts), spec_(parts.training.order.spec), progress_(progress) {}

  // Completes and reports `done`; `watch` began with the epoch. Returns nullopt if training should
  // continue.
  Result<std::optional<TrainEnd>> finish(EpochDone done, const Stopwatch& watch);
  // Returns why training is done before its last epoch.
  [[nodiscard]] std::optional<TrainEnd> early_end() const;

 private:
  [[nodiscard]] Result<Scores> of_all(const Scores& mine) const;
  // Returns nullopt if it was stopped.
  Result<std::optional<Scores>> evaluate();
  Result<void> report_notes(BatchSource& source);
  Result<void> save_checkpoint();

  const Parts parts_;
  const RunSpec& spec_;
  Progress& progress_;
};

// How training ends once it was asked to stop.
TrainEnd stopped_by_a_signal();

}  // namespace tacho
