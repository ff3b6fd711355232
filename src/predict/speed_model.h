#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "predict/correction.h"
#include "predict/interval.h"
#include "predict/learning_set.h"
#include "predict/neighbours.h"
#include "predict/rehearsal.h"
#include "predict/stack_spread.h"
#include "predict/steadiness.h"

namespace tacho {

// A step's time in logarithms of seconds, and how far the truth may be off (90 %).
struct StepBelief {
  double log_seconds = 0;
  double reach = 0;
  double deviation = 0;     // before it is stretched to the reach
  double corrected_by = 0;  // of log_seconds, by the trees
};

// What was learned from measured jobs: cost model, then neighbours, then correction.
class SpeedModel {
 public:
  struct Effort {
    std::size_t lessons = 4800;      // to learn from
    std::size_t of_a_source = 1600;  // of them
    std::size_t rehearsal = 2000;    // to find out how wrong it is about what it has not seen
    std::size_t threads = 2;
  };
  static Result<SpeedModel> learn(std::vector<Lesson> lessons, const Effort& effort);

  static Result<SpeedModel> read(std::string_view text);
  [[nodiscard]] Result<std::string> text() const;

  [[nodiscard]] Result<std::vector<StepBelief>> predict(std::span<const JobPoint> points,
                                                        std::size_t threads) const;
  // Why nothing can be said of a job, however alike it is to others.
  enum class Blank : std::uint8_t {
    none,
    model,   // nobody measured it, and what it costs is not known
    cost,    // known only roughly, where the GPU is new or there are several nodes
    pairs,   // nobody measured the GPU or the software, so how several GPUs exchange is not known
    nodes,   // nobody measured the GPU, so what lies between its machines is not known either
    hosts,   // something else than the GPU bounds the job, and nobody measured it on several nodes
    layout,  // no lesson has it; by model it takes from a third less time to 2.6 times as much
  };
  [[nodiscard]] Blank blank_in(const JobPoint& point) const;

 private:
  [[nodiscard]] bool has_seen(const JobPoint& point, Label label) const;
  SpeedModel(std::vector<JobPoint> lessons, Neighbours neighbours, Correction correction,
             CorrectionTrust trust, StackSpread spread, Steadiness steadiness,
             std::vector<ConformalInterval> intervals);
  void rebuild_codebook();

  std::vector<JobPoint> lessons_;
  Codebook codebook_;
  Neighbours neighbours_;
  Correction correction_;
  CorrectionTrust trust_;
  StackSpread spread_;
  Steadiness steadiness_;
  std::vector<ConformalInterval> intervals_;  // by interval_kind()
};

}  // namespace tacho
