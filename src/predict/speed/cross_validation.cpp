#include "predict/speed/cross_validation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "predict/speed/fold_posteriors.h"

namespace tacho {
namespace {

constexpr std::size_t kFolds = 3;
constexpr std::uint64_t kSeed = 11;

// Returns the jobs that are wrong together: those of the held-out group in one publication; on
// several nodes all of the publication, because its cluster decides.
std::string group_of(const TrainingExample& example, SplitKind kind) {
  if (example.nodes > 1) return example.source;
  return example.source + '\x1f' + held_out_group(example, kind);
}

Result<void> cross_validate_fold(const std::vector<TrainingExample>& examples, SplitKind kind,
                                 const Fold& fold, std::size_t threads,
                                 std::vector<CrossValidated>& out) {
  if (fold.predicted.empty() || fold.learned.empty()) return {};
  TACHO_TRY(posteriors, predict_fold(examples, fold, threads));
  SeenGroups seen;
  for (const std::size_t i : fold.learned) seen.add(examples[i].point);
  for (std::size_t k = 0; k < posteriors.size(); ++k) {
    const TrainingExample& example = examples[fold.predicted[k]];
    // Own runs are of one machine: with it held out, they would represent unmeasured software.
    if (example.source == kOwnSource) continue;
    out.push_back({.deviation = posteriors[k].deviation,
                   .error = example.error - prediction_error(posteriors[k]),
                   .mean = posteriors[k].mean,
                   .novelty = seen.novelty_of(example.point),
                   .stack = example.point.labels[Label::stack],
                   .one_gpu = example.point.gpus <= 1,
                   .group = group_of(example, kind)});
  }
  return {};
}

}  // namespace

Result<std::vector<CrossValidated>> cross_validate(const std::vector<TrainingExample>& examples,
                                                   std::size_t threads) {
  std::vector<CrossValidated> out;
  for (const auto& [kind, name] : kSplitKinds.table) {
    const std::size_t begin = out.size();
    for (const Fold& fold : make_folds(examples, kind, kFolds, kSeed)) {
      TACHO_CHECK(cross_validate_fold(examples, kind, fold, threads, out));
    }
    std::map<std::string, double> sizes;
    for (std::size_t i = begin; i < out.size(); ++i) sizes[out[i].group] += 1;
    for (std::size_t i = begin; i < out.size(); ++i) {
      out[i].weight = 1 / std::sqrt(sizes.at(out[i].group));
    }
  }
  return out;
}

double learn_family_share(std::vector<CrossValidated>& jobs) {
  constexpr double kLargest = 1.5;  // a larger error comes from different units, not from speed
  const auto measured = [](const CrossValidated& one) {
    return one.error + prediction_error({one.mean, one.deviation});
  };
  double best = 1;
  double least = 0;
  for (int tenths = 10; tenths >= 0; --tenths) {
    const double share = tenths / 10.0;
    double sum = 0;
    for (const CrossValidated& one : jobs) {
      if (!one.novelty.is_new_family() || !one.novelty.cost_known) continue;
      sum += one.weight * std::min(std::abs(measured(one) - share * one.mean), kLargest);
    }
    if (tenths == 10 || sum < least) {
      best = share;
      least = sum;
    }
  }
  for (CrossValidated& one : jobs) {
    if (one.novelty.is_new_family()) one.error = measured(one) - best * one.mean;
  }
  return best;
}

}  // namespace tacho
