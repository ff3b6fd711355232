#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/enum_array.h"
#include "base/names.h"
#include "base/result.h"
#include "predict/speed/cholesky.h"
#include "predict/speed/neighbours.h"

namespace tacho {

// Where a measured step deviates from the roofline, in logarithms.
struct Residual {
  std::string model;
  std::string line;    // "resnet" for resnet50
  std::string format;  // number formats with equal peaks are one
  double log_batch = 0;
  double log_extent = 0;  // of the input
  double value = 0;       // log(measured / roofline)
  double repetitions = 1;
};

// Standard deviations of what two runs of a line of models, of one model, and of one model with one
// format have in common, the last two of which fade over this many e-foldings of batch and extent.
enum class Common : std::uint8_t { line, model, batches, format, fading, noise };
inline constexpr std::size_t kCommons = 6;
inline constexpr Names<Common, kCommons> kCommonTermNames{"term",
                                                          {{{Common::line, "line"},
                                                            {Common::model, "model"},
                                                            {Common::batches, "batches"},
                                                            {Common::format, "format"},
                                                            {Common::fading, "fading"},
                                                            {Common::noise, "noise"}}}};
using CommonTerms = EnumArray<Common, double, kCommons>;

// A Gaussian process over the residuals of runs.
class OwnResiduals {
 public:
  static Result<OwnResiduals> learn(std::vector<Residual> residuals, const CommonTerms& terms);
  // Chooses the terms with the highest likelihood.
  static Result<OwnResiduals> learn(std::vector<Residual> residuals);

  [[nodiscard]] Posterior predict(const Residual& where) const;  // ignores its value
  [[nodiscard]] const std::vector<Residual>& residuals() const { return residuals_; }
  [[nodiscard]] const CommonTerms& terms() const { return terms_; }
  [[nodiscard]] double log_likelihood() const { return log_likelihood_; }

 private:
  OwnResiduals(std::vector<Residual> residuals, const CommonTerms& terms, Cholesky factor);
  [[nodiscard]] static double covariance(const CommonTerms& terms, const Residual& a,
                                         const Residual& b);

  std::vector<Residual> residuals_;
  CommonTerms terms_;
  Cholesky factor_;
  std::vector<double> weights_;
  double log_likelihood_ = 0;
};

}  // namespace tacho
