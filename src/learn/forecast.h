#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "learn/curve.h"
#include "learn/reference_curves.h"

namespace tacho {

// Epochs from which a curve tells of itself.
inline constexpr std::size_t kFewestPoints = 3;

// What a curve will be: nine of ten times within low … high.
struct Forecast {
  double epoch = 0;
  double accuracy = 0;
  double low = 0;
  double high = 0;
};

// Foretells accuracy from the beginning of a curve and from known curves: a mixture of curves of
// the same task, laid over it, and of parametric families whose prior the known curves are. Its
// intervals are as wide as its own misses on the known curves, each foretold from the others.
class CurveForecaster {
 public:
  // Without calibration only estimate() makes sense.
  enum class Calibration { by_misses, none };
  explicit CurveForecaster(const std::vector<Curve>& known, const CurveConstants& constants = {},
                           Calibration calibration = Calibration::by_misses);

  // Every epoch asked for lies after what `begun` holds. ErrorCode::unavailable, "I cannot know
  // this: …", where nothing that is known bears on it.
  [[nodiscard]] Result<std::vector<Forecast>> forecast(const Curve& begun,
                                                       std::span<const double> epochs) const;

  // Before calibration, and as if the curves of `begun`'s system were not known.
  [[nodiscard]] Result<std::vector<Estimate>> estimate(const Curve& begun,
                                                       std::span<const double> epochs) const;

  // By how many deviations an interval reaches to hold nine of ten points of the known curves of
  // this task, those of its own system left out. Where it has few, also those of tasks with the
  // same kind of schedule: whichever asks for more.
  [[nodiscard]] double reach(const Curve& begun) const;

  [[nodiscard]] const std::vector<KnownCurve>& known() const { return known_; }

 private:
  struct Miss {  // of one known curve, foretold from its first quarter or from nothing of it
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

// How much of a curve is its first quarter: at least two points, so that something is left.
std::size_t first_quarter(const Curve& curve);

}  // namespace tacho
