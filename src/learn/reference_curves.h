#pragma once

#include <optional>
#include <span>
#include <vector>

#include "learn/curve.h"
#include "learn/curve_constants.h"
#include "learn/curve_prior.h"

namespace tacho {

// A curve that was trained to its end. Where the learning rate was constant, it is taken as the
// smooth line through its points, which also goes on after them.
struct KnownCurve {
  explicit KnownCurve(Curve measured);

  Curve curve;
  std::optional<FamilyMixture> smooth;
};

// What a curve of the same task says about one that has begun: laid over it, by the share of the
// plan where the learning rate falls, else by the epoch, faster or slower as batch, rate and
// amount of data ask for and as the points seen so far allow.
class ReferenceCurves {
 public:
  // `known` outlives this. Only curves of the begun one's task count, and not the begun one
  // itself: who asks leaves it out.
  ReferenceCurves(const Curve& begun, std::span<const KnownCurve* const> known,
                  const CurveConstants& constants);

  [[nodiscard]] bool empty() const { return overlays_.empty(); }
  // How much is known: 1 is one curve of the very same setting that passes through every point.
  [[nodiscard]] double mass() const { return mass_; }
  [[nodiscard]] Estimate at(double epoch) const;

 private:
  struct Overlay {
    const KnownCurve* known;
    double stretch;  // an epoch of the begun curve is so many of this one
    double weight;
    double offset;  // what the last points lie above it
  };
  void lay(const KnownCurve& known);
  [[nodiscard]] double value(const Overlay& overlay, double epoch) const;

  Curve begun_;
  CurveConstants constants_;
  double noise_;
  std::vector<Overlay> overlays_;
  double mass_ = 0;
};

}  // namespace tacho
