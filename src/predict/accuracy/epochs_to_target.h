#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "predict/accuracy/batch_law.h"
#include "predict/accuracy/curve.h"
#include "predict/accuracy/reference_curves.h"
#include "predict/accuracy/time_record.h"

namespace tacho {

struct EpochsQuestion {
  std::string model;
  std::string data;
  double target = 0;  // accuracy, 0 … 1
  double batch = 0;   // of all GPUs
};

struct EpochsAnswer {
  Estimate epochs;
  double epoch_samples = 0;  // samples per epoch
  std::string basis;         // "5 runs here", "263 published trainings"
};

// Predicts the number of epochs to a target for any batch size. Uses own runs first, then published
// trainings: their batch law at their target, moved to another target along published curves, and
// beyond those along trainings with longer schedules.
class EpochsToTarget {
 public:
  EpochsToTarget(const std::vector<Curve>& own, std::vector<Curve> published,
                 std::vector<TimeRecord> records);

  // Abstains with ErrorCode::unavailable, "no prediction: …".
  [[nodiscard]] Result<EpochsAnswer> needed(const EpochsQuestion& question) const;

 private:
  [[nodiscard]] Result<EpochsAnswer> from_own(const EpochsQuestion& question) const;
  [[nodiscard]] Result<EpochsAnswer> from_published(const EpochsQuestion& question) const;
  // Returns the ratio of the epochs to reach `to` to those to reach `from`.
  [[nodiscard]] Result<Estimate> factor(const EpochsQuestion& question, const std::string& recipe,
                                        double from, double to) const;
  // Returns the epochs to the target from trainings that differ only in the length of their
  // schedule.
  [[nodiscard]] Result<double> by_schedule(const EpochsQuestion& question, double target) const;

  std::vector<KnownCurve> own_;
  std::vector<Curve> published_;
  std::vector<TimeRecord> records_;
};

inline constexpr double kFurthestFollowed = 4;  // times the length of the curve
// Returns the epoch at which the smoothed, extrapolated curve reaches the target, or nothing.
std::optional<double> smooth_crossing(const KnownCurve& known, double target);

// Returns the epoch at which the linearly interpolated curve first reaches the target, or nothing.
std::optional<double> crossing(const Curve& curve, double target);

}  // namespace tacho
