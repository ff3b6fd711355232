#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "predict/speed_model.h"

namespace tacho {

// To either side: half the truth or twice it. What is less sure is out of the domain.
inline constexpr double kWidestInterval = 2;
// The same where something is not known of a job; 1 where nothing is foretold then, however sure.
double widest_interval(SpeedModel::Blank blank);

// How much of what one run shows of a prediction's error holds for other jobs of the same model on
// the same GPU.
inline constexpr double kTrustInARunOfTheModel = 0.9;

struct Prediction {
  double samples_per_s = 0;  // of the whole job
  double low90 = 0;
  double high90 = 0;
  double step_seconds = 0;
  double memory_gb = 0;      // that a step needs on each GPU
  bool memory_known = true;  // as far as the model's cost is
  bool fits = true;          // into the GPU's memory; also where that is not known
  bool in_domain = true;
  std::string reason;  // why it is not
  StepTime modelled;   // where the cost model sees the time go
};

class Predictor {
 public:
  Predictor(GpuCatalog gpus, ModelCosts costs, SpeedModel model);

  // Every job's GPU must be in the catalogue; nothing for an accelerator that is none.
  [[nodiscard]] Result<std::vector<std::optional<Prediction>>> predict(
      std::span<const TrainingJob> jobs, std::size_t threads) const;
  [[nodiscard]] const GpuCatalog& gpus() const { return gpus_; }
  void add_gpu(GpuSpec gpu) { gpus_.add(std::move(gpu)); }

  // From now on jobs on these GPUs are corrected by what was measured there. Of a model that was
  // among it: by the middle of its errors; of others by the middle of all, drawn towards none by as
  // much as so few are uncertain. The machine's own error goes; the interval narrows. Takes the
  // place of an earlier calibration.
  Result<void> calibrate(std::span<const MeasuredJob> measurements, std::size_t threads);

 private:
  struct Calibration {
    double shift = 0;  // of log seconds
    double share = 1;  // of the deviation that is left
  };
  // "" where there is none. What was measured here says something of a GPU that nobody else
  // measured.
  [[nodiscard]] std::string reason_to_abstain(const TrainingJob& job, const JobPoint& point,
                                              const StepBelief& belief, bool measured_here) const;
  // nullptr: nothing was measured there.
  [[nodiscard]] const Calibration* calibration_of(const GpuSpec& gpu, const JobPoint& point) const;
  struct Candidate;
  [[nodiscard]] static double log_seconds_of(std::span<const Candidate> candidates);
  [[nodiscard]] Prediction finish(const TrainingJob& job, const GpuSpec& gpu, const JobPoint& point,
                                  StepBelief belief) const;

  GpuCatalog gpus_;
  ModelCosts costs_;
  SpeedModel model_;
  std::map<std::string, Calibration, std::less<>> calibrations_;  // by GPU, and by GPU and model
};

}  // namespace tacho
