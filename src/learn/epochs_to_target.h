#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "learn/batch_law.h"
#include "learn/curve.h"
#include "learn/reference_curves.h"
#include "learn/time_record.h"

namespace tacho {

struct EpochsQuestion {
  std::string model;
  std::string data;
  double target = 0;  // accuracy, 0 … 1
  double batch = 0;   // of all GPUs
};

struct EpochsAnswer {
  Range epochs;
  double epoch_samples = 0;  // in one of those epochs
  std::string basis;         // "5 runs here", "263 published trainings"
};

// How many epochs a task takes to a target, for any batch size. Runs of one's own come first, then
// published trainings: their batch law at the target they had, moved to another target along
// published curves, and above what those reached along trainings of longer schedules.
class EpochsToTarget {
 public:
  EpochsToTarget(const std::vector<Curve>& own, std::vector<Curve> published,
                 std::vector<TimeRecord> records);

  // ErrorCode::unavailable, "I cannot know this: …", where nothing bears on it.
  [[nodiscard]] Result<EpochsAnswer> needed(const EpochsQuestion& question) const;

 private:
  [[nodiscard]] Result<EpochsAnswer> from_own(const EpochsQuestion& question) const;
  [[nodiscard]] Result<EpochsAnswer> from_published(const EpochsQuestion& question) const;
  // How many times the epochs of a training to `from` one to `to` takes.
  [[nodiscard]] Result<Range> factor(const EpochsQuestion& question, const std::string& recipe,
                                     double from, double to) const;
  // Epochs to the target by trainings that differ in nothing but the length of their plan.
  [[nodiscard]] Result<double> by_schedule(const EpochsQuestion& question, double target) const;

  std::vector<KnownCurve> own_;
  std::vector<Curve> published_;
  std::vector<TimeRecord> records_;
};

inline constexpr double kFurthestFollowed = 4;  // times its own length that a curve is followed
// Where the smooth line through a curve reaches the target, followed so far. Nothing if it does
// not.
std::optional<double> smooth_crossing(const KnownCurve& known, double target);

// When a curve first reaches the target, between its points along straight lines. Nothing if it
// does not.
std::optional<double> crossing(const Curve& curve, double target);

}  // namespace tacho
