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
  unseen_generation,  // all GPUs of an architecture
  unseen_model,
  unseen_family,  // a model and all its relatives
  unseen_both,    // a GPU and a model
  unseen_gpu_and_family,
  unseen_nodes,       // a model's jobs on several nodes, with one software
  unseen_growth,      // all jobs of a source on several nodes; its jobs on one node are known
  unseen_node_count,  // jobs on more nodes than any that is learned
  unseen_source,
  unseen_software,
  unseen_job,  // a model with a batch and a number of GPUs, of one source on one GPU
};
inline constexpr Names<SplitKind, 12> kSplitKinds{
    "split",
    {{{SplitKind::unseen_family, "unseen-family"},
      {SplitKind::unseen_gpu, "unseen-gpu"},
      {SplitKind::unseen_generation, "unseen-generation"},
      {SplitKind::unseen_gpu_and_family, "unseen-gpu-and-family"},
      {SplitKind::unseen_software, "unseen-software"},
      {SplitKind::unseen_node_count, "unseen-node-count"},
      {SplitKind::unseen_nodes, "unseen-nodes"},
      {SplitKind::unseen_growth, "unseen-growth"},
      {SplitKind::unseen_source, "unseen-source"},
      {SplitKind::unseen_model, "unseen-model"},
      {SplitKind::unseen_both, "unseen-both"},
      {SplitKind::unseen_job, "unseen-job"}}}};

// Returns the group of an example that is held out as a whole; of a pair of groups, the first.
std::string held_out_group(const TrainingExample& example, SplitKind kind);

// Indices of training and held-out examples.
struct Fold {
  std::vector<std::size_t> learned;
  std::vector<std::size_t> predicted;
};

// Assigns groups to `folds` by `seed`. Every example is predicted once, except: for pairs of groups
// only those whose two groups are in the same fold; for unseen_nodes and unseen_growth only jobs on
// several nodes, and those on one node are always known. unseen_node_count has a fold for each of a
// few limits: jobs on up to so many nodes are learned, those on up to four times as many predicted.
std::vector<Fold> make_folds(const std::vector<TrainingExample>& examples, SplitKind kind,
                             std::size_t folds, std::uint64_t seed);

}  // namespace tacho
