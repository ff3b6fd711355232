#include "predict/speed/evaluate_own_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "base/estimate.h"
#include "core/record/statistics.h"
#include "predict/speed/fit_own_speed.h"

namespace tacho {
namespace {

constexpr std::string_view kBetween = " between";
constexpr std::string_view kBeyond = " beyond";
constexpr std::string_view kSingle = " single";

std::string series_of(const OwnExample& example) {
  return fmt::format("{} {} {}", example.job.model, example.job.size.text,
                     format_name(example.job.format));
}

struct Group {
  std::string name;
  std::set<const OwnExample*> members;
};

std::vector<Group> groups_by(std::span<const OwnExample> examples,
                             const std::function<std::string(const OwnExample&)>& key) {
  std::map<std::string, std::set<const OwnExample*>> groups;
  for (const OwnExample& one : examples) groups[key(one)].insert(&one);
  std::vector<Group> out;
  for (auto& [name, members] : groups) out.push_back({name, std::move(members)});
  return out;
}

std::vector<Group> batch_groups(std::span<const OwnExample> examples) {
  std::vector<Group> out;
  for (const Group& series : groups_by(examples, series_of)) {
    if (series.members.size() < 3) continue;
    std::vector<const OwnExample*> sorted(series.members.begin(), series.members.end());
    std::ranges::sort(sorted, {}, [](const OwnExample* one) { return one->job.batch; });
    for (std::size_t i = 1; i + 1 < sorted.size(); ++i) {
      out.push_back({fmt::format("{} {}{}", series.name, i, kSingle), {sorted[i]}});
    }
    out.push_back({series.name + std::string(kBetween), {sorted.begin() + 1, sorted.end() - 1}});
    out.push_back({series.name + " below" + std::string(kBeyond), {sorted.front()}});
    out.push_back({series.name + " above" + std::string(kBeyond), {sorted.back()}});
  }
  return out;
}

std::vector<Group> groups_of(std::span<const OwnExample> examples, OwnNovelty novelty) {
  switch (novelty) {
    case OwnNovelty::batch:
      return batch_groups(examples);
    case OwnNovelty::format:
      return groups_by(examples, [](const OwnExample& one) {
        return fmt::format("{} {}", one.job.model, format_name(one.job.format));
      });
    case OwnNovelty::model:
      break;
  }
  return groups_by(examples, [](const OwnExample& one) { return one.job.model; });
}

std::vector<OwnExample> without(std::span<const OwnExample> examples, const Group& group) {
  std::vector<OwnExample> out;
  for (const OwnExample& one : examples) {
    if (!group.members.contains(&one)) out.push_back(one);
  }
  return out;
}

double error_of(const OwnExample& example, const OwnStep& step) {
  double sum = 0;
  for (const double seconds : example.seconds) sum += std::log(seconds);
  return sum / static_cast<double>(example.seconds.size()) - std::log(step.parts.total());
}

OwnSpeedScore score(std::string name, const std::vector<double>& errors, std::size_t covered) {
  OwnSpeedScore out{.held_out = std::move(name), .count = errors.size()};
  if (errors.empty()) return out;
  std::vector<double> relative;
  for (const double error : errors) relative.push_back(std::abs(std::expm1(error)));
  out.median_error = median(relative);
  out.worst_error = *std::ranges::max_element(relative);
  out.coverage = static_cast<double>(covered) / static_cast<double>(errors.size());
  return out;
}

// The intervals of a group are calibrated on all other groups of its novelty.
OwnSpeedScore score_held_out(std::string name, const std::vector<HeldOutRun>& held_out,
                             const std::function<bool(const HeldOutRun&)>& belongs) {
  std::vector<double> errors;
  std::size_t covered = 0;
  std::map<std::string, double> stretches;
  for (const HeldOutRun& one : held_out) {
    if (!belongs(one)) continue;
    errors.push_back(one.error);
    const std::string& model = one.example->job.model;
    if (!stretches.contains(model)) {
      std::vector<HeldOutRun> others;
      std::ranges::copy_if(held_out, std::back_inserter(others), [&](const HeldOutRun& other) {
        return other.example->job.model != model;
      });
      stretches[model] = stretch_of(others);
    }
    if (std::abs(one.error) <= kDeviations90 * stretches[model] * one.deviation) ++covered;
  }
  return score(std::move(name), errors, covered);
}

}  // namespace

Result<std::vector<HeldOutRun>> hold_out(std::span<const OwnExample> examples, OwnNovelty novelty,
                                         const OwnLayers& layers, const GpuCatalog& gpus) {
  std::vector<HeldOutRun> out;
  TACHO_TRY(whole, fit_uncalibrated(examples, layers, gpus));
  for (const Group& group : groups_of(examples, novelty)) {
    const std::vector<OwnExample> others = without(examples, group);
    if (others.empty()) continue;
    OwnFit fit = whole;
    // A few runs of a known model hardly change the rates, but a whole model does.
    if (novelty == OwnNovelty::model) {
      TACHO_TRY(refitted, fit_uncalibrated(others, layers, gpus));
      fit = std::move(refitted);
    } else {
      TACHO_TRY(residuals, residuals_of(others, layers, gpus, fit.rates));
      fit.residuals = std::move(residuals);
    }
    TACHO_TRY(speed, OwnSpeed::make(layers, gpus, std::move(fit)));
    for (const OwnExample* one : group.members) {
      TACHO_TRY(gpu, gpus.find(one->gpu));
      TACHO_TRY(step, speed.step(one->job, *gpu));
      // Models with a single format become new models without it.
      if (step.novelty != novelty) continue;
      out.push_back({one, group.name, error_of(*one, step), step.reach / kDeviations90});
    }
  }
  return out;
}

double stretch_of(std::span<const HeldOutRun> held_out) {
  std::vector<double> surprises;
  for (const HeldOutRun& one : held_out) {
    surprises.push_back(std::abs(one.error) / one.deviation / kDeviations90);
  }
  return surprises.empty() ? 1 : std::max(1.0, quantile(surprises, 0.9));
}

Result<std::vector<OwnSpeedScore>> evaluate_own_speed(std::span<const OwnExample> examples,
                                                      std::span<const MeasuredJob> published,
                                                      const OwnLayers& layers,
                                                      const GpuCatalog& gpus) {
  std::vector<OwnSpeedScore> out;
  TACHO_TRY(batches, hold_out(examples, OwnNovelty::batch, layers, gpus));
  out.push_back(score_held_out("single batches", batches,
                               [](const HeldOutRun& one) { return one.group.ends_with(kSingle); }));
  out.push_back(score_held_out("all batches between the ends", batches, [](const HeldOutRun& one) {
    return one.group.ends_with(kBetween);
  }));
  out.push_back(score_held_out("smallest and largest batch", batches,
                               [](const HeldOutRun& one) { return one.group.ends_with(kBeyond); }));
  const auto all = [](const HeldOutRun&) { return true; };
  TACHO_TRY(formats, hold_out(examples, OwnNovelty::format, layers, gpus));
  out.push_back(score_held_out("precision of a model", formats, all));
  TACHO_TRY(models, hold_out(examples, OwnNovelty::model, layers, gpus));
  out.push_back(score_held_out("whole model", models, all));
  TACHO_TRY(fit, fit_own_speed(examples, published, layers, gpus));
  std::vector<double> errors;
  std::size_t covered = 0;
  for (const CarriedJob& one : carry_published(published, layers, gpus, fit.rates)) {
    errors.push_back(one.error);
    const double reach = kDeviations90 * fit.gpu_spread * gpu_difference(one.distance);
    if (std::abs(one.error) <= reach) ++covered;
  }
  out.push_back(score("GPU, published figures", errors, covered));
  return out;
}

}  // namespace tacho
