#pragma once

#include <functional>
#include <string>
#include <vector>

#include "predict/speed_model.h"
#include "predict/split.h"

namespace tacho {

// A job that was foretold by a model that had not learned from its group.
struct ForetoldJob {
  std::size_t lesson = 0;  // its place among the lessons
  std::size_t fold = 0;
  StepBelief belief;
  bool in_domain = false;
};

struct PartScore {
  std::size_t jobs = 0;
  double median_error = 0;
  double mean_error = 0;
  double p90_error = 0;
};

struct SourceScore {
  std::string source;
  std::size_t jobs = 0;
  double median_error = 0;
  double mean_error = 0;
};

// How predictions of jobs whose group was left out compare with what was published.
struct SplitScore {
  SplitKind kind{};
  std::size_t jobs = 0;
  double median_error = 0;  // |predicted − published| / published
  double mean_error = 0;
  double p90_error = 0;
  double coverage = 0;            // share within the 90 % interval
  std::size_t out_of_domain = 0;  // said so, and not counted above
  double out_median_error = 0;
  PartScore of_all = {};         // those out of the domain too
  PartScore without_trees = {};  // in the domain, had the correction been left away
  PartScore with_one_run = {};   // of unseen_gpu: the model was run there once, as another job …
  PartScore on_one_node = {};    // … and of these the jobs on one node, after a run on one
  std::vector<SourceScore> of_sources = {};
};

struct Evaluation {
  std::size_t folds = 5;
  std::uint64_t seed = 1;
  SpeedModel::Effort effort;
};

// Learns anew for every fold, from what is left.
Result<std::vector<ForetoldJob>> foretell_hidden(const std::vector<Lesson>& lessons, SplitKind kind,
                                                 const Evaluation& how,
                                                 const std::function<void()>& after_fold);
// Of lesson `job.lesson`: log(published / foretold) step time.
double log_error(const std::vector<Lesson>& lessons, const ForetoldJob& job);
SplitScore score(const std::vector<Lesson>& lessons, SplitKind kind,
                 const std::vector<ForetoldJob>& foretold);

}  // namespace tacho
