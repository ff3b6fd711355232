#pragma once

#include <optional>
#include <span>
#include <vector>

#include "predict/accuracy/curve.h"
#include "predict/accuracy/curve_constants.h"
#include "predict/accuracy/curve_prior.h"

namespace tacho {

// A curve that was trained to its end. With a constant learning rate, it is replaced by a smooth
// line through its points, which also extends beyond them.
struct KnownCurve {
  explicit KnownCurve(Curve measured);

  Curve curve;
  std::optional<FamilyMixture> smooth;
};

// Predicts a curve that has begun from curves of the same task. They are aligned by the share of
// the schedule if the learning rate falls, otherwise by epoch, and stretched according to batch,
// rate, amount of data and the points seen so far.
class ReferenceCurves {
 public:
  // `known` must outlive this. Uses only curves of the same task; the caller must exclude the begun
  // curve itself.
  ReferenceCurves(const Curve& begun, std::span<const KnownCurve* const> known,
                  const CurveConstants& constants);

  [[nodiscard]] bool empty() const { return overlays_.empty(); }
  // Amount of evidence: 1 is one curve with the same settings through every point.
  [[nodiscard]] double mass() const { return mass_; }
  [[nodiscard]] NormalEstimate at(double epoch) const;

 private:
  struct Overlay {
    const KnownCurve* known;
    double stretch;  // epochs of this curve per epoch of the begun one
    double weight;
    double offset;  // mean distance of the last points above it
  };
  void add(const KnownCurve& known);
  [[nodiscard]] double value(const Overlay& overlay, double epoch) const;

  Curve begun_;
  CurveConstants constants_;
  double noise_;
  std::vector<Overlay> overlays_;
  double mass_ = 0;
};

}  // namespace tacho
