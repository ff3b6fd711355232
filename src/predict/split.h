#pragma once

#include <cstdint>
#include <vector>

#include "base/names.h"
#include "predict/learning_set.h"

namespace tacho {

// What is new about the jobs that are predicted. Whole groups are left out, never single rows:
// neighbouring rows would tell the answer.
enum class SplitKind {
  unseen_gpu,
  unseen_model,
  unseen_both,
  unseen_nodes,   // a model's jobs on several nodes, by one software
  unseen_growth,  // all jobs on several nodes of a source: what it measured on one is known
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

// Which lessons are learned from and which are predicted, by their places.
struct Fold {
  std::vector<std::size_t> learned;
  std::vector<std::size_t> predicted;
};

// Groups are dealt to `folds` hands by `seed`. Every lesson is predicted once, but: of
// unseen_both those whose model and GPU fell to the same hand; of unseen_nodes and unseen_growth
// the jobs on several nodes alone: those on one are learned from.
std::vector<Fold> make_folds(const std::vector<Lesson>& lessons, SplitKind kind, std::size_t folds,
                             std::uint64_t seed);

}  // namespace tacho
