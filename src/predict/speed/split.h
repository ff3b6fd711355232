#pragma once

#include <cstdint>
#include <vector>

#include "base/names.h"
#include "predict/speed/learning_set.h"

namespace tacho {

// The novelty of the predicted jobs. Whole groups are held out, never single rows, because
// neighbouring rows would reveal the answer.
enum class SplitKind {
  unseen_gpu,
  unseen_model,
  unseen_both,
  unseen_nodes,   // a model's jobs on several nodes, with one software
  unseen_growth,  // all jobs of a source on several nodes; its jobs on one node are known
  unseen_source,
  unseen_job,  // a model with a batch and a number of GPUs, of one source on one GPU
};
inline constexpr Names<SplitKind, 7> kSplitKinds{"split",
                                                 {{{SplitKind::unseen_gpu, "unseen-gpu"},
                                                   {SplitKind::unseen_model, "unseen-model"},
                                                   {SplitKind::unseen_both, "unseen-both"},
                                                   {SplitKind::unseen_nodes, "unseen-nodes"},
                                                   {SplitKind::unseen_growth, "unseen-growth"},
                                                   {SplitKind::unseen_source, "unseen-source"},
                                                   {SplitKind::unseen_job, "unseen-job"}}}};

// Indices of training and held-out examples.
struct Fold {
  std::vector<std::size_t> learned;
  std::vector<std::size_t> predicted;
};

// Assigns groups to `folds` by `seed`. Every example is predicted once, except: for unseen_both
// only those whose model and GPU are in the same fold; for unseen_nodes and unseen_growth only jobs
// on several nodes, and those on one node are always known.
std::vector<Fold> make_folds(const std::vector<TrainingExample>& examples, SplitKind kind,
                             std::size_t folds, std::uint64_t seed);

}  // namespace tacho
