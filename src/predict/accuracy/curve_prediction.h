#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/estimate.h"
#include "base/result.h"
#include "predict/accuracy/curve.h"
#include "predict/accuracy/reference_curves.h"

namespace tacho {

// Minimum number of points for an extrapolation without other curves.
inline constexpr std::size_t kFewestPoints = 3;

// Accuracy at an epoch, with its 90 % interval.
struct CurvePrediction {
  double epoch = 0;
  Estimate accuracy;
};

// Predicts accuracy from the beginning of a curve and from known curves: a mixture of curves of the
// same task, aligned with it, and of parametric families whose prior comes from the known curves.
// Its intervals are calibrated by cross-validation on the known curves.
class CurvePredictor {
 public:
  // Without calibration, only estimate() is valid.
  enum class Calibration { by_misses, none };
  explicit CurvePredictor(const std::vector<Curve>& known, const CurveConstants& constants = {},
                          Calibration calibration = Calibration::by_misses);

  // Every epoch must be after those of `begun`. Abstains with ErrorCode::unavailable, "no
  // prediction: …".
  [[nodiscard]] Result<std::vector<CurvePrediction>> predict(const Curve& begun,
                                                             std::span<const double> epochs) const;

  // Not calibrated; ignores known curves of the same system as `begun`.
  [[nodiscard]] Result<std::vector<NormalEstimate>> estimate(const Curve& begun,
                                                             std::span<const double> epochs) const;

  // Returns the number of standard deviations of a 90 % interval: the 90th percentile over known
  // curves of this task from other systems. With few of them, the larger of it and the one over
  // tasks with the same kind of schedule.
  [[nodiscard]] double reach(const Curve& begun) const;

  [[nodiscard]] const std::vector<KnownCurve>& known() const { return known_; }

 private:
  struct Miss {  // of one known curve, predicted from its first quarter or without any point
    std::string task;
    std::string system;
    bool decays;
    bool from_nothing;
    std::vector<double> deviations;
  };
  void measure_misses();
  void measure_miss(const Curve& curve, std::size_t seen);

  CurveConstants constants_;
  std::vector<KnownCurve> known_;
  std::vector<Miss> misses_;
};

// Returns the number of points in the first quarter of a curve, at least two.
std::size_t first_quarter(const Curve& curve);

}  // namespace tacho
