#pragma once

#include <array>
#include <span>
#include <vector>

#include "predict/cholesky.h"
#include "predict/neighbours.h"
#include "predict/run_point.h"

namespace tacho {

// Which figure of a run is learned.
enum class Figure : std::uint8_t { step, memory };

struct PartsLesson {
  RunPoint point;
  double log_value = 0;  // of seconds or bytes: the mean of its repetitions
  double repetitions = 1;
  std::vector<double> each = {};  // of the repetitions; empty: there is one
};

// How far the parts of runs differ and how far measurements scatter; chosen by how well lessons
// that are left out would have been foretold.
struct PartsTuning {
  double likeness = 1;      // times the deviations by which runs' parts differ
  double drift = 1;         // times those by which a figure departs from the sum of its parts
  double noise = 0.01;      // of a measurement
  double host_noise = 0.1;  // … where the host sets the pace
};

// A figure as max((fixed + samples) · drift, host), each part its nominal value times a factor of
// which runs tell as far as they are alike; what a run teaches of several parts is worked out by
// linearising (Gauss and Newton) around what is believed.
class PartsModel {
 public:
  static Result<PartsModel> learn(Figure figure, std::vector<PartsLesson> lessons,
                                  const PartsTuning& tuning);
  // With the tuning that suits the lessons best.
  static Result<PartsModel> learn(Figure figure, const std::vector<PartsLesson>& lessons);

  // Of a new measurement, in logarithms.
  [[nodiscard]] Belief believe(const RunPoint& point) const;

  // Each lesson as the others would have foretold it.
  struct LeftOut {
    double error = 0;  // measured less foretold
    double deviation = 0;
    std::int16_t model = 0;  // the lesson's label
  };
  // The same with whole shares of the lessons left out and learned anew: slower, and closer to how
  // a configuration is met that nobody ran. One for each repetition, since what is to be foretold
  // is a single run.
  [[nodiscard]] Result<std::vector<LeftOut>> rehearse(std::size_t folds) const;
  // Of the lessons under what the others foretell; the higher the better.
  [[nodiscard]] double log_likelihood() const;

 private:
  struct Slope {  // of a figure's logarithm by each part's
    double value = 0;
    RunParts by{};
  };
  PartsModel(Figure figure, std::vector<PartsLesson> lessons, const PartsTuning& tuning);
  [[nodiscard]] const RunParts& nominal(const RunPoint& point) const;
  [[nodiscard]] static Slope slope(const RunParts& logs);
  // What two runs have in common of a part's factor.
  [[nodiscard]] double common(Part part, const RunPoint& a, const RunPoint& b) const;
  [[nodiscard]] double noise(const Slope& slope) const;
  [[nodiscard]] Slope at(std::size_t lesson) const;
  [[nodiscard]] std::int16_t model_label(std::size_t lesson) const;
  Result<void> settle();
  Result<void> solve(const std::vector<Slope>& slopes);
  void judge(const Cholesky& factor);

  Figure figure_;
  std::vector<PartsLesson> lessons_;
  PartsTuning tuning_;
  EnumArray<Part, std::vector<double>, kParts> covariance_;
  std::vector<double> doubt_;      // times the noise: what contradicts counts less
  std::vector<RunParts> factors_;  // in logarithms, of each lesson's parts
  std::vector<Slope> slopes_;
  std::vector<double> weights_;
  std::vector<Cholesky> factor_;  // one, once settled
  std::vector<LeftOut> left_out_;
};

}  // namespace tacho
