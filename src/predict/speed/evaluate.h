#pragma once

#include <functional>
#include <string>
#include <vector>

#include "predict/speed/speed_model.h"
#include "predict/speed/split.h"

namespace tacho {

// A job whose group was held out of the model that predicted it.
struct HeldOutJob {
  std::size_t example = 0;  // index of the example
  std::size_t fold = 0;
  StepPosterior posterior;
  bool in_domain = false;
};

struct PartScore {
  std::size_t jobs = 0;
  double median_error = 0;
  double mean_error = 0;
  double p90_error = 0;
};

// Jobs on one node or on several, without abstentions.
struct ScaleScore {
  PartScore errors;
  double coverage = 0;
  std::size_t out_of_domain = 0;
};

struct SourceScore {
  std::string source;
  std::size_t jobs = 0;
  double median_error = 0;
  double mean_error = 0;
};

// Errors of predictions for held-out groups, compared with published figures.
struct SplitScore {
  SplitKind kind{};
  std::size_t jobs = 0;
  double median_error = 0;  // |predicted − published| / published
  double mean_error = 0;
  double p90_error = 0;
  double coverage = 0;            // share within the 90 % interval
  std::size_t out_of_domain = 0;  // abstentions, not counted above
  double out_median_error = 0;
  ScaleScore one_node = {};
  ScaleScore several_nodes = {};
  PartScore of_all = {};        // including abstentions
  PartScore with_one_run = {};  // for unseen_gpu: after one other run of the model there …
  PartScore on_one_node = {};   // … of these, jobs on one node after a run on one node
  std::vector<SourceScore> of_sources = {};
};

struct Evaluation {
  std::size_t folds = 5;
  std::uint64_t seed = 1;
  SpeedModel::Effort effort;
};

// Fits a model per fold to the examples of the other folds.
Result<std::vector<HeldOutJob>> predict_held_out(const std::vector<TrainingExample>& examples,
                                                 SplitKind kind, const Evaluation& how,
                                                 const std::function<void()>& after_fold);
// Returns log(published / predicted) step time of example `job.example`.
double log_error(const std::vector<TrainingExample>& examples, const HeldOutJob& job);
SplitScore score(const std::vector<TrainingExample>& examples, SplitKind kind,
                 const std::vector<HeldOutJob>& predicted);

}  // namespace tacho
