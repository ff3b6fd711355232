#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predict/likeness.h"
#include "predict/neighbours.h"

namespace tacho {

// What is known of a job before its error is corrected.
struct CorrectionCase {
  CodedPoint point;
  NumberFormat format = NumberFormat::fp32;
  Belief belief;
};

// Gradient-boosted trees on what the neighbours' belief got wrong about jobs of groups it had not
// seen. Numbers alone, no names, so that what is learned holds for new hardware and models; never
// longer for a GPU with a higher peak.
class Correction {
 public:
  static constexpr std::size_t kFeatures = kMeasures + 5;
  using Features = std::array<float, kFeatures>;
  static Features features_of(const CorrectionCase& situation);

  // `errors` are what is left of log(measured / believed); `weights` say how much each counts.
  static Result<Correction> learn(std::span<const CorrectionCase> situations,
                                  std::span<const float> errors, std::span<const float> weights,
                                  std::size_t threads);
  static Result<Correction> read(std::string_view bytes);
  [[nodiscard]] Result<std::string> bytes() const;

  // The logarithm to add to the belief's mean, for each situation.
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
