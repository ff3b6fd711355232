#include "predict/speed/correction.h"

#include <algorithm>

namespace tacho {
namespace {

// A measured job needs no correction, and for a job of unknown cost nothing carries over.
float share(const CorrectionCase& situation) {
  if (!situation.point.cost_known) return 0;
  return static_cast<float>(std::clamp(situation.posterior.deviation / 0.2, 0.0, 1.0));
}

}  // namespace

Correction::Features Correction::features_of(const CorrectionCase& situation) {
  Features features{};
  for (std::size_t i = 0; i < kMeasures; ++i) features[i] = situation.point.measures[i];
  // Labels count only by whether they were seen before.
  features[kMeasures] = static_cast<float>(situation.format);
  features[kMeasures + 1] = situation.point.labels[Label::stack] > 0 ? 1 : 0;
  features[kMeasures + 2] = situation.point.labels[Label::model] > 0 ? 1 : 0;
  features[kMeasures + 3] = static_cast<float>(situation.posterior.mean);
  features[kMeasures + 4] = static_cast<float>(situation.posterior.deviation);
  return features;
}

Result<Correction> Correction::read(const Json& trees) {
  TACHO_TRY(read, BoostedTrees::read(trees, kFeatures));
  return Correction(std::move(read));
}

std::vector<float> Correction::predict(std::span<const CorrectionCase> situations) const {
  std::vector<float> added;
  added.reserve(situations.size());
  for (const CorrectionCase& situation : situations) {
    added.push_back(trees_.predict(features_of(situation)) * share(situation));
  }
  return added;
}

}  // namespace tacho
