#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "predict/accuracy/batch_law.h"
#include "predict/accuracy/curve.h"
#include "predict/accuracy/epoch_transfer.h"
#include "predict/accuracy/epochs_answer.h"
#include "predict/accuracy/reference_curves.h"
#include "predict/accuracy/target.h"
#include "predict/accuracy/time_record.h"

namespace tacho {

struct KnownTrainings {
  std::vector<Curve> own;      // of this machine
  std::vector<Curve> shipped;  // curves and results that come with Tacho, measured and published
  std::vector<TimeRecord> records = {};
};

// Predicts the number of epochs to a target for any batch size. Uses, in this order: own runs;
// shipped curves of the same model and dataset; published times to an accuracy (their batch law at
// their target, moved to another target along published curves, and beyond those along trainings
// with longer schedules); published curves and results; trainings of other models on the dataset.
class EpochsToTarget {
 public:
  explicit EpochsToTarget(KnownTrainings known, TargetMetric metric = TargetMetric::top1);

  // Abstains with ErrorCode::unavailable, "no prediction: …".
  [[nodiscard]] Result<EpochsAnswer> needed(const EpochsQuestion& question) const;
  [[nodiscard]] Result<UsualTarget> usual_target(const std::string& model,
                                                 const std::string& data) const;

 private:
  [[nodiscard]] Result<EpochsAnswer> from_own(const EpochsQuestion& question) const;
  // From shipped curves: Tacho's own, or published ones.
  [[nodiscard]] Result<EpochsAnswer> from_curves(const EpochsQuestion& question, bool own) const;
  [[nodiscard]] Result<EpochsAnswer> from_records(const EpochsQuestion& question) const;
  // Returns the ratio of the epochs to reach `to` to those to reach `from`.
  [[nodiscard]] Result<Estimate> factor(const EpochsQuestion& question, const std::string& recipe,
                                        double from, double to) const;
  // Returns the epochs to the target from trainings that differ only in the length of their
  // schedule.
  [[nodiscard]] Result<double> by_schedule(const EpochsQuestion& question, double target) const;
  [[nodiscard]] double quality(const EpochsQuestion& question) const {
    return quality_of({question.target, metric_});
  }

  TargetMetric metric_;
  std::vector<KnownCurve> own_;
  std::vector<Curve> shipped_;
  std::vector<TimeRecord> records_;
  EpochTransfer transfer_;
};

}  // namespace tacho
