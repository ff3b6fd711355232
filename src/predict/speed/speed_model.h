#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "predict/speed/cross_validation.h"
#include "predict/speed/interval.h"
#include "predict/speed/learning_set.h"
#include "predict/speed/neighbours.h"
#include "predict/speed/stack_spread.h"
#include "predict/speed/steadiness.h"

namespace tacho {

// The logarithm of a step's seconds, with the half width of its 90 % interval.
struct StepPosterior {
  double log_seconds = 0;
  double reach = 0;
  double deviation = 0;  // before scaling to the interval
};

// A model fitted to measured jobs: cost model, then neighbours, then calibrated intervals.
class SpeedModel {
 public:
  struct Effort {
    std::size_t examples = 4800;          // to fit
    std::size_t of_a_source = 1600;       // per source
    std::size_t cross_validation = 2000;  // held-out examples to calibrate intervals
    std::size_t threads = 2;
  };
  static Result<SpeedModel> learn(std::vector<TrainingExample> examples, const Effort& effort);

  static Result<SpeedModel> read(std::string_view text);
  [[nodiscard]] Result<std::string> text() const;

  [[nodiscard]] Result<std::vector<StepPosterior>> predict(std::span<const JobPoint> points,
                                                           std::size_t threads) const;
  // What the measurements lack; some of it is a reason to abstain although a job is similar to
  // others.
  enum class Blank : std::uint8_t {
    none,
    far,     // no measurements of the model's family, or several nodes: only wide intervals
    model,   // no measurements, and unknown cost
    cost,    // roughly known cost with a new GPU or several nodes
    hosts,   // limited by the host, without measurements on several nodes
    layout,  // no example has it; it changes the time by −33 % to a factor of 2.6
  };
  [[nodiscard]] Blank blank_in(const JobPoint& point) const;
  // Of all examples, in lower case.
  [[nodiscard]] std::set<std::string_view> releases() const;

 private:
  [[nodiscard]] bool has_seen(const JobPoint& point, Label label) const;
  SpeedModel(std::vector<JobPoint> examples, Neighbours neighbours, StackSpread spread,
             Steadiness steadiness, NoveltyIntervals intervals, double family_share);

  std::vector<JobPoint> examples_;
  Codebook codebook_;
  SeenGroups seen_;
  Neighbours neighbours_;
  StackSpread spread_;
  Steadiness steadiness_;
  NoveltyIntervals intervals_;
  double family_share_ = 1;  // see learn_family_share()
};

}  // namespace tacho
