#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "predict/speed/novelty.h"

namespace tacho {

// A held-out job: the deviation of its posterior and its error.
struct CrossValidated {
  double deviation = 0;
  double error = 0;  // of the prediction, in logarithms
  double mean = 0;   // of the posterior
  double weight = 1;
  Novelty novelty = {};
  std::string stack = {};
  bool one_gpu = true;
  std::string group = {};  // of jobs with correlated errors
};

// Conformal intervals: deviations are scaled so that 90 % of the held-out jobs with about the same
// uncertainty are within. The width increases with the deviation.
class ConformalInterval {
 public:
  static ConformalInterval learn(std::vector<CrossValidated> cross_validated);
  static ConformalInterval known(std::vector<double> deviations, std::vector<double> reaches);

  // Returns the half width, in logarithms.
  [[nodiscard]] double reach(double deviation) const;
  [[nodiscard]] const std::vector<double>& deviations() const { return deviations_; }
  [[nodiscard]] const std::vector<double>& reaches() const { return reaches_; }

 private:
  // Interpolated linearly between these points; proportional beyond the last.
  std::vector<double> deviations_;
  std::vector<double> reaches_;
};

// An interval per novelty of the number of nodes, for known and for rough costs; times a factor per
// kind of novelty, shrunk to 1 for kinds with few held-out jobs.
class NoveltyIntervals {
 public:
  using Bases = std::map<std::string, ConformalInterval>;
  using Factors = std::map<std::string, double>;
  static NoveltyIntervals learn(const std::vector<CrossValidated>& cross_validated);
  static NoveltyIntervals known(Bases bases, Factors factors);

  [[nodiscard]] double reach(const Novelty& novelty, double deviation) const;
  [[nodiscard]] const Bases& bases() const { return bases_; }
  [[nodiscard]] const Factors& factors() const { return factors_; }

 private:
  Bases bases_;      // by nodes and certainty of the cost
  Factors factors_;  // by Novelty::text()
};

}  // namespace tacho
