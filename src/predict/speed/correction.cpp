#include "predict/speed/correction.h"

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <algorithm>
#include <utility>

namespace tacho {
namespace {

constexpr int kRounds = 120;
constexpr std::array<std::pair<const char*, const char*>, 11> kSettings = {
    {{"objective", "reg:pseudohubererror"},
     {"huber_slope", "0.3"},
     {"base_score", "0"},
     {"tree_method", "hist"},
     {"max_depth", "4"},
     {"eta", "0.06"},
     {"min_child_weight", "12"},
     {"lambda", "8"},
     {"subsample", "0.7"},
     {"colsample_bytree", "0.7"},
     {"seed", "7"}}};

Error failed(std::string_view doing) {
  return {ErrorCode::failed, fmt::format("XGBoost, {}: {}", doing, XGBGetLastError())};
}

struct FreeMatrix {
  void operator()(void* matrix) const { XGDMatrixFree(matrix); }
};
using Matrix = std::unique_ptr<void, FreeMatrix>;

Result<Matrix> matrix_of(std::span<const CorrectionCase> situations) {
  std::vector<float> values;
  values.reserve(situations.size() * Correction::kFeatures);
  for (const CorrectionCase& situation : situations) {
    const auto features = Correction::features_of(situation);
    values.insert(values.end(), features.begin(), features.end());
  }
  DMatrixHandle handle = nullptr;
  if (XGDMatrixCreateFromMat(values.data(), situations.size(), Correction::kFeatures, -1e30F,
                             &handle) != 0) {
    return failed("reading features");
  }
  return Matrix(handle);
}

// A measured job needs no correction, and for a job of unknown cost nothing carries over.
float share(const CorrectionCase& situation) {
  if (!situation.point.cost_known) return 0;
  return static_cast<float>(std::clamp(situation.posterior.deviation / 0.2, 0.0, 1.0));
}

std::string monotone() {
  EnumArray<Measure, int, Correction::kFeatures> directions{};
  directions[Measure::peak] = -1;
  return fmt::format("({})", fmt::join(directions, ","));
}

}  // namespace

void Correction::Free::operator()(void* booster) const { XGBoosterFree(booster); }

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

Result<Correction> Correction::learn(std::span<const CorrectionCase> situations,
                                     std::span<const float> errors, std::span<const float> weights,
                                     std::size_t threads) {
  TACHO_TRY(matrix, matrix_of(situations));
  if (XGDMatrixSetFloatInfo(matrix.get(), "label", errors.data(), errors.size()) != 0 ||
      XGDMatrixSetFloatInfo(matrix.get(), "weight", weights.data(), weights.size()) != 0) {
    return failed("reading errors");
  }
  DMatrixHandle training = matrix.get();
  BoosterHandle handle = nullptr;
  if (XGBoosterCreate(&training, 1, &handle) != 0) return failed("starting");
  Correction correction(handle);
  for (const auto& [name, value] : kSettings) {
    if (XGBoosterSetParam(handle, name, value) != 0) return failed(name);
  }
  if (XGBoosterSetParam(handle, "monotone_constraints", monotone().c_str()) != 0 ||
      XGBoosterSetParam(handle, "nthread", std::to_string(threads).c_str()) != 0) {
    return failed("settings");
  }
  const int rounds = situations.empty() ? 0 : kRounds;
  for (int round = 0; round < rounds; ++round) {
    if (XGBoosterUpdateOneIter(handle, round, training) != 0) return failed("growing a tree");
  }
  return correction;
}

Result<Correction> Correction::read(std::string_view bytes) {
  BoosterHandle handle = nullptr;
  if (XGBoosterCreate(nullptr, 0, &handle) != 0) return failed("starting");
  Correction correction(handle);
  if (XGBoosterLoadModelFromBuffer(handle, bytes.data(), bytes.size()) != 0) {
    return failed("reading trees");
  }
  return correction;
}

Result<std::string> Correction::bytes() const {
  bst_ulong length = 0;
  const char* start = nullptr;
  if (XGBoosterSaveModelToBuffer(booster_.get(), R"({"format": "json"})", &length, &start) != 0) {
    return failed("writing trees");
  }
  return std::string(start, length);
}

Result<std::vector<float>> Correction::predict(std::span<const CorrectionCase> situations) const {
  if (situations.empty()) return std::vector<float>();
  TACHO_TRY(matrix, matrix_of(situations));
  bst_ulong length = 0;
  const float* values = nullptr;
  if (XGBoosterPredict(booster_.get(), matrix.get(), 0, 0, 0, &length, &values) != 0) {
    return failed("predicting");
  }
  std::vector<float> added(values, values + length);
  for (std::size_t i = 0; i < added.size(); ++i) added[i] *= share(situations[i]);
  return added;
}

}  // namespace tacho
