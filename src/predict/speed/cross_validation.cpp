#include "predict/speed/cross_validation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "predict/speed/fold_posteriors.h"

namespace tacho {
namespace {

constexpr std::size_t kFolds = 3;
constexpr std::uint64_t kSeed = 11;
// A larger error comes from different units, not from speed.
constexpr float kLargest = 1.5F;

Result<void> cross_validate_fold(const std::vector<TrainingExample>& examples, const Fold& fold,
                                 std::size_t threads, CrossValidation& out,
                                 std::vector<const std::string*>& sources) {
  if (fold.predicted.empty() || fold.learned.empty()) return {};
  TACHO_TRY(made, predict_fold(examples, fold, threads));
  const auto& [asked, posteriors] = made;
  for (std::size_t k = 0; k < asked.size(); ++k) {
    const TrainingExample& example = examples[fold.predicted[k]];
    // Own runs are of one machine: with it held out, they would represent unmeasured software.
    if (example.source == kOwnSource) continue;
    out.situations.push_back({asked[k], format_of(example.point), posteriors[k]});
    out.errors.push_back(static_cast<float>(example.error - prediction_error(posteriors[k])));
    out.stacks.push_back(example.point.labels[Label::stack]);
    sources.push_back(&example.source);
  }
  return {};
}

}  // namespace

NumberFormat format_of(const JobPoint& point) {
  return number_format(point.labels[Label::precision]);
}

Setting setting_of(const CodedPoint& point, const std::string& stack) {
  const bool one_node = point.measures[Measure::nodes] <= 0;
  const bool one_gpu = one_node && point.measures[Measure::gpus_per_node] <= 0;
  return {.stack = stack,
          .model_known = point.labels[Label::model] > 0,
          .gpu_known = point.labels[Label::gpu] > 0,
          .scale = one_gpu    ? Scale::one_gpu
                   : one_node ? Scale::one_node
                              : Scale::several_nodes};
}

Novelty novelty_of(const CorrectionCase& situation) {
  const auto seen = [&](Label label) { return situation.point.labels[label] > 0; };
  if (situation.point.measures[Measure::nodes] > 0) return Novelty::nodes;
  if (!seen(Label::gpu) && !seen(Label::model)) return Novelty::gpu_and_model;
  if (!seen(Label::model)) return Novelty::model;
  if (!seen(Label::gpu)) return Novelty::gpu;
  return seen(Label::stack) ? Novelty::none : Novelty::software;
}

std::vector<ConformalInterval> learn_intervals(const std::vector<CrossValidated>& cross_validated) {
  constexpr std::size_t kEnough = 150;
  std::vector<std::vector<CrossValidated>> kinds(kIntervalKinds);
  std::vector<CrossValidated> known;
  std::vector<CrossValidated> rough;
  for (const CrossValidated& one : cross_validated) {
    kinds[interval_kind(one.novelty, one.cost_known)].push_back(one);
    (one.cost_known ? known : rough).push_back(one);
  }
  std::vector<ConformalInterval> out;
  for (std::size_t k = 0; k < kIntervalKinds; ++k) {
    const auto& same_kind = k < kNovelties ? known : rough;
    out.push_back(ConformalInterval::learn(kinds[k].size() >= kEnough    ? kinds[k]
                                           : same_kind.size() >= kEnough ? same_kind
                                                                         : cross_validated));
  }
  return out;
}

Result<CrossValidation> cross_validate(const std::vector<TrainingExample>& examples,
                                       std::size_t threads) {
  CrossValidation out;
  std::vector<const std::string*> sources;
  for (const SplitKind kind :
       {SplitKind::unseen_gpu, SplitKind::unseen_model, SplitKind::unseen_both,
        SplitKind::unseen_nodes, SplitKind::unseen_growth, SplitKind::unseen_source,
        SplitKind::unseen_job}) {
    const std::size_t begin = out.errors.size();
    for (const Fold& fold : make_folds(examples, kind, kFolds, kSeed)) {
      TACHO_CHECK(cross_validate_fold(examples, fold, threads, out, sources));
    }
    std::map<std::string, double> of_source;
    for (std::size_t i = begin; i < sources.size(); ++i) of_source[*sources[i]] += 1;
    for (std::size_t i = begin; i < sources.size(); ++i) {
      out.weights.push_back(static_cast<float>(10 / std::sqrt(of_source.at(*sources[i]))));
    }
  }
  return out;
}

Result<Correction> learn_correction(const CrossValidation& cross_validation, std::size_t threads) {
  CrossValidation taught;
  for (std::size_t i = 0; i < cross_validation.errors.size(); ++i) {
    // Situations of unknown cost teach nothing that carries over.
    if (!cross_validation.situations[i].point.cost_known) continue;
    taught.situations.push_back(cross_validation.situations[i]);
    taught.errors.push_back(std::clamp(cross_validation.errors[i], -kLargest, kLargest));
    taught.weights.push_back(cross_validation.weights[i]);
  }
  return Correction::learn(taught.situations, taught.errors, taught.weights, threads);
}

namespace {

// Returns which half of all models and which half of all GPUs a situation belongs to: 0 to 3.
std::size_t quarter_of(const CorrectionCase& situation) {
  const auto half = [&](std::initializer_list<Measure> measures) {
    float sum = 0;
    for (const Measure m : measures) {
      sum += std::abs(situation.point.measures[m]);
    }
    return static_cast<std::size_t>(std::floor(sum * 40)) % 2;
  };
  return 2 * half({Measure::gmacs}) +
         half({Measure::multiprocessors, Measure::power_per_peak, Measure::generation});
}

// Returns the correction of each situation by trees that saw neither its model nor its GPU.
Result<std::vector<float>> correction_from_others(const CrossValidation& cross_validation,
                                                  std::size_t threads) {
  std::vector<float> out(cross_validation.errors.size());
  for (std::size_t quarter = 0; quarter < 4; ++quarter) {
    CrossValidation others;
    std::vector<CorrectionCase> asked;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < cross_validation.errors.size(); ++i) {
      const auto& situation = cross_validation.situations[i];
      const std::size_t own = quarter_of(situation);
      if (own == quarter) {
        asked.push_back(situation);
        places.push_back(i);
      } else if (own == 3 - quarter) {
        others.situations.push_back(situation);
        others.errors.push_back(cross_validation.errors[i]);
        others.weights.push_back(cross_validation.weights[i]);
      }
    }
    if (asked.empty() || others.errors.empty()) continue;
    TACHO_TRY(correction, learn_correction(others, threads));
    const auto added = correction.predict(asked);
    for (std::size_t k = 0; k < asked.size(); ++k) out[places[k]] = added[k];
  }
  return out;
}

// Returns the share of `added` with the smallest error, per kind of novelty.
CorrectionTrust trust_in(const std::vector<float>& added, const CrossValidation& cross_validation) {
  constexpr std::array<double, 5> kShares = {0, 0.25, 0.5, 0.75, 1};
  EnumArray<Novelty, std::array<double, kShares.size()>, kNovelties> left{};
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (!cross_validation.situations[i].point.cost_known) continue;
    const Novelty novelty = novelty_of(cross_validation.situations[i]);
    for (std::size_t s = 0; s < kShares.size(); ++s) {
      const double error = std::abs(cross_validation.errors[i] - kShares[s] * added[i]);
      left[novelty][s] += cross_validation.weights[i] * std::min<double>(error, kLargest);
    }
  }
  CorrectionTrust trust{};
  for (std::size_t n = 0; n < kNovelties; ++n) {
    trust[n] =
        kShares[static_cast<std::size_t>(std::ranges::min_element(left[n]) - left[n].begin())];
  }
  return trust;
}

}  // namespace

Result<CorrectedCrossValidation> corrected(const CrossValidation& cross_validation,
                                           std::size_t threads) {
  TACHO_TRY(added, correction_from_others(cross_validation, threads));
  CorrectedCrossValidation out{.jobs = {}, .trust = trust_in(added, cross_validation)};
  for (std::size_t i = 0; i < added.size(); ++i) {
    const CorrectionCase& situation = cross_validation.situations[i];
    const Novelty novelty = novelty_of(situation);
    const double taken = out.trust[novelty] * added[i];
    out.jobs.push_back({situation.posterior.deviation, cross_validation.errors[i] - taken,
                        cross_validation.weights[i], novelty, situation.point.cost_known,
                        setting_of(situation.point, cross_validation.stacks[i])});
  }
  return out;
}

}  // namespace tacho
