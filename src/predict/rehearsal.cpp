#include "predict/rehearsal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "predict/fold_beliefs.h"

namespace tacho {
namespace {

constexpr std::size_t kFolds = 3;
constexpr std::uint64_t kSeed = 11;
// An error beyond this factor is a matter of units, not of speed.
constexpr float kLargest = 1.5F;

Result<void> rehearse_fold(const std::vector<Lesson>& lessons, const Fold& fold,
                           std::size_t threads, Rehearsal& out,
                           std::vector<const std::string*>& sources) {
  if (fold.predicted.empty() || fold.learned.empty()) return {};
  TACHO_TRY(made, believe_fold(lessons, fold, threads));
  const auto& [asked, beliefs] = made;
  for (std::size_t k = 0; k < asked.size(); ++k) {
    const Lesson& lesson = lessons[fold.predicted[k]];
    // Own runs are of one machine: hidden with it, they tell of software that nobody measured.
    if (lesson.source == kOwnSource) continue;
    out.situations.push_back({asked[k], format_of(lesson.point), beliefs[k]});
    out.errors.push_back(static_cast<float>(lesson.error - foretold_error(beliefs[k])));
    out.stacks.push_back(lesson.point.labels[Label::stack]);
    sources.push_back(&lesson.source);
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

News news_of(const CorrectionCase& situation) {
  const auto seen = [&](Label label) { return situation.point.labels[label] > 0; };
  if (situation.point.measures[Measure::nodes] > 0) return News::nodes;
  if (!seen(Label::gpu) && !seen(Label::model)) return News::gpu_and_model;
  if (!seen(Label::model)) return News::model;
  if (!seen(Label::gpu)) return News::gpu;
  return seen(Label::stack) ? News::none : News::software;
}

std::vector<ConformalInterval> learn_intervals(const std::vector<Rehearsed>& rehearsed) {
  constexpr std::size_t kEnough = 150;
  std::vector<std::vector<Rehearsed>> kinds(kIntervalKinds);
  std::vector<Rehearsed> known;
  std::vector<Rehearsed> rough;
  for (const Rehearsed& one : rehearsed) {
    kinds[interval_kind(one.news, one.cost_known)].push_back(one);
    (one.cost_known ? known : rough).push_back(one);
  }
  std::vector<ConformalInterval> out;
  for (std::size_t k = 0; k < kIntervalKinds; ++k) {
    const auto& alike = k < kNews ? known : rough;
    out.push_back(ConformalInterval::learn(kinds[k].size() >= kEnough ? kinds[k]
                                           : alike.size() >= kEnough  ? alike
                                                                      : rehearsed));
  }
  return out;
}

Result<Rehearsal> rehearse(const std::vector<Lesson>& lessons, std::size_t threads) {
  Rehearsal out;
  std::vector<const std::string*> sources;
  for (const SplitKind kind :
       {SplitKind::unseen_gpu, SplitKind::unseen_model, SplitKind::unseen_both,
        SplitKind::unseen_nodes, SplitKind::unseen_growth, SplitKind::unseen_source,
        SplitKind::unseen_job}) {
    const std::size_t begin = out.errors.size();
    for (const Fold& fold : make_folds(lessons, kind, kFolds, kSeed)) {
      TACHO_CHECK(rehearse_fold(lessons, fold, threads, out, sources));
    }
    std::map<std::string, double> of_source;
    for (std::size_t i = begin; i < sources.size(); ++i) of_source[*sources[i]] += 1;
    for (std::size_t i = begin; i < sources.size(); ++i) {
      out.weights.push_back(static_cast<float>(10 / std::sqrt(of_source.at(*sources[i]))));
    }
  }
  return out;
}

Result<Correction> learn_correction(const Rehearsal& rehearsal, std::size_t threads) {
  Rehearsal taught;
  for (std::size_t i = 0; i < rehearsal.errors.size(); ++i) {
    // Situations whose cost is unknown teach nothing that carries over.
    if (!rehearsal.situations[i].point.cost_known) continue;
    taught.situations.push_back(rehearsal.situations[i]);
    taught.errors.push_back(std::clamp(rehearsal.errors[i], -kLargest, kLargest));
    taught.weights.push_back(rehearsal.weights[i]);
  }
  return Correction::learn(taught.situations, taught.errors, taught.weights, threads);
}

namespace {

// Which half of all models a situation belongs to, and which half of all GPUs: 0 to 3.
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

// What the trees of jobs with neither its model nor its GPU add to each situation.
Result<std::vector<float>> added_by_strangers(const Rehearsal& rehearsal, std::size_t threads) {
  std::vector<float> out(rehearsal.errors.size());
  for (std::size_t quarter = 0; quarter < 4; ++quarter) {
    Rehearsal strangers;
    std::vector<CorrectionCase> asked;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < rehearsal.errors.size(); ++i) {
      const auto& situation = rehearsal.situations[i];
      const std::size_t own = quarter_of(situation);
      if (own == quarter) {
        asked.push_back(situation);
        places.push_back(i);
      } else if (own == 3 - quarter) {
        strangers.situations.push_back(situation);
        strangers.errors.push_back(rehearsal.errors[i]);
        strangers.weights.push_back(rehearsal.weights[i]);
      }
    }
    if (asked.empty() || strangers.errors.empty()) continue;
    TACHO_TRY(correction, learn_correction(strangers, threads));
    TACHO_TRY(added, correction.predict(asked));
    for (std::size_t k = 0; k < asked.size(); ++k) out[places[k]] = added[k];
  }
  return out;
}

// The share of `added` that leaves the least error, for each kind of news.
CorrectionTrust trust_in(const std::vector<float>& added, const Rehearsal& rehearsal) {
  constexpr std::array<double, 5> kShares = {0, 0.25, 0.5, 0.75, 1};
  EnumArray<News, std::array<double, kShares.size()>, kNews> left{};
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (!rehearsal.situations[i].point.cost_known) continue;
    const News news = news_of(rehearsal.situations[i]);
    for (std::size_t s = 0; s < kShares.size(); ++s) {
      const double error = std::abs(rehearsal.errors[i] - kShares[s] * added[i]);
      left[news][s] += rehearsal.weights[i] * std::min<double>(error, kLargest);
    }
  }
  CorrectionTrust trust{};
  for (std::size_t n = 0; n < kNews; ++n) {
    trust[n] =
        kShares[static_cast<std::size_t>(std::ranges::min_element(left[n]) - left[n].begin())];
  }
  return trust;
}

}  // namespace

Result<CorrectedRehearsal> corrected(const Rehearsal& rehearsal, std::size_t threads) {
  TACHO_TRY(added, added_by_strangers(rehearsal, threads));
  CorrectedRehearsal out{.jobs = {}, .trust = trust_in(added, rehearsal)};
  for (std::size_t i = 0; i < added.size(); ++i) {
    const CorrectionCase& situation = rehearsal.situations[i];
    const News news = news_of(situation);
    const double taken = out.trust[news] * added[i];
    out.jobs.push_back({situation.belief.deviation, rehearsal.errors[i] - taken,
                        rehearsal.weights[i], news, situation.point.cost_known,
                        setting_of(situation.point, rehearsal.stacks[i])});
  }
  return out;
}

}  // namespace tacho
