#pragma once

#include <span>
#include <string>
#include <vector>

namespace tacho {

// The kind of novelty of a job. Each has separate intervals, so that none gets its coverage at the
// expense of another.
enum class Novelty { none, software, gpu, model, gpu_and_model, nodes };
inline constexpr std::size_t kNovelties = 6;
// Jobs of unknown or rough cost have separate intervals, too: their errors are much larger.
inline constexpr std::size_t kIntervalKinds = 2 * kNovelties;
constexpr std::size_t interval_kind(Novelty novelty, bool cost_known) {
  return static_cast<std::size_t>(novelty) + (cost_known ? 0 : kNovelties);
}

enum class Scale { one_gpu, one_node, several_nodes };

// The software and scale of a job, and what is known about it from other jobs.
struct Setting {
  std::string stack = {};
  bool model_known = true;
  bool gpu_known = true;
  Scale scale = Scale::one_gpu;
};

// A held-out job: the deviation of its posterior and its error.
struct CrossValidated {
  double deviation = 0;
  double error = 0;  // in logarithms
  double weight = 1;
  Novelty novelty = Novelty::none;
  bool cost_known = true;
  Setting setting = {};
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

}  // namespace tacho
