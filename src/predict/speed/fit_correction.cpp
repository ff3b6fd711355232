#include "predict/speed/correction.h"

#ifdef TACHO_XGBOOST

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <array>
#include <memory>
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
struct FreeBooster {
  void operator()(void* booster) const { XGBoosterFree(booster); }
};
using Booster = std::unique_ptr<void, FreeBooster>;

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

std::string monotone() {
  EnumArray<Measure, int, Correction::kFeatures> directions{};
  directions[Measure::peak] = -1;
  return fmt::format("({})", fmt::join(directions, ","));
}

}  // namespace

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
  const Booster booster(handle);
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
  bst_ulong length = 0;
  const char* start = nullptr;
  if (XGBoosterSaveModelToBuffer(handle, R"({"format": "json"})", &length, &start) != 0) {
    return failed("writing trees");
  }
  TACHO_TRY(json, parse_json({start, length}));
  return read(json);
}

}  // namespace tacho

#else

namespace tacho {

Result<Correction> Correction::learn(std::span<const CorrectionCase> /*situations*/,
                                     std::span<const float> /*errors*/,
                                     std::span<const float> /*weights*/, std::size_t /*threads*/) {
  return Error{ErrorCode::unavailable,
               "built without XGBoost: the speed model can be used but not fitted; run "
               "script/bootstrap and script/build on a machine where it can be installed"};
}

}  // namespace tacho

#endif
