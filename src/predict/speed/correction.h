#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predict/speed/covariance_kernel.h"
#include "predict/speed/neighbours.h"

namespace tacho {

// A job before its error is corrected.
struct CorrectionCase {
  CodedPoint point;
  NumberFormat format = NumberFormat::fp32;
  Posterior posterior;
};

// Gradient-boosted trees fitted to the errors of the neighbours' posterior on held-out groups. Uses
// numbers only, no names, so that it generalises to new hardware and models; never predicts longer
// for a GPU with a higher peak.
class Correction {
 public:
  static constexpr std::size_t kFeatures = kMeasures + 5;
  using Features = std::array<float, kFeatures>;
  static Features features_of(const CorrectionCase& situation);

  // `errors`: log(measured / posterior).
  static Result<Correction> learn(std::span<const CorrectionCase> situations,
                                  std::span<const float> errors, std::span<const float> weights,
                                  std::size_t threads);
  static Result<Correction> read(std::string_view bytes);
  [[nodiscard]] Result<std::string> bytes() const;

  // Returns the logarithm to add to the posterior's mean, for each situation.
  [[nodiscard]] Result<std::vector<float>> predict(
      std::span<const CorrectionCase> situations) const;

 private:
  struct Free {
    void operator()(void* booster) const;
  };
  explicit Correction(void* booster) : booster_(booster) {}

  std::unique_ptr<void, Free> booster_;
};

}  // namespace tacho
