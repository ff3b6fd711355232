#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "predict/speed/own_predictions.h"
#include "predict/speed/prediction.h"
#include "predict/speed/speed_model.h"

namespace tacho {

// Factor to either side: half or twice the value. Less certain predictions are out of domain.
inline constexpr double kWidestInterval = 2;
// The same for new families and several nodes, whose intervals are wide.
inline constexpr double kWidestFarInterval = 6;
// The same by what the measurements lack; 1 if it then always abstains.
double widest_interval(SpeedModel::Blank blank);

// Share of the error of one run that also applies to other jobs of the same model on the same GPU.
inline constexpr double kTrustInModelRun = 0.9;

class Predictor {
 public:
  Predictor(GpuCatalog gpus, ModelCosts costs, SpeedModel model);

  // Every GPU must be in the catalog; nothing for accelerators that are not GPUs.
  [[nodiscard]] Result<std::vector<std::optional<Prediction>>> predict(
      std::span<const TrainingJob> jobs, std::size_t threads) const;
  // Refuses a name that is neither a word of --software, nor that of a measured job, nor a release
  // of a framework such as "PyTorch 2.7". "" is the default.
  [[nodiscard]] Result<void> check_software(const std::string& software) const;
  [[nodiscard]] const GpuCatalog& gpus() const { return gpus_; }
  [[nodiscard]] const ModelCosts& costs() const { return costs_; }
  void add_gpu(GpuSpec gpu) { gpus_.add(std::move(gpu)); }
  // Tacho's own models, trained by Tacho, are predicted from its runs instead.
  void set_own_speed(OwnSpeed speed) { own_ = std::move(speed); }

  // Corrects later predictions by measurements on these GPUs: for a model that was measured by the
  // median of its errors, for others by the median of all errors, shrunk by the uncertainty of few
  // measurements. This removes the machine's own error and narrows the interval. Replaces an
  // earlier calibration.
  Result<void> calibrate(std::span<const MeasuredJob> measurements, std::size_t threads);

 private:
  struct Calibration {
    double shift = 0;  // of log seconds
    double share = 1;  // of the deviation
  };
  // Returns "" to predict. `measured_here`: this GPU was calibrated, although it has no published
  // measurements.
  [[nodiscard]] std::string reason_to_abstain(const TrainingJob& job, const JobPoint& point,
                                              const StepPosterior& posterior,
                                              bool measured_here) const;
  // Returns nullptr without measurements.
  [[nodiscard]] const Calibration* calibration_of(const GpuSpec& gpu,
                                                  const std::string& model) const;
  struct Candidate;
  [[nodiscard]] static double log_seconds_of(std::span<const Candidate> candidates);
  [[nodiscard]] Prediction finish(const TrainingJob& job, const GpuSpec& gpu, const JobPoint& point,
                                  StepPosterior posterior) const;

  [[nodiscard]] Prediction own_prediction(OwnPredictions& own, const TrainingJob& job,
                                          const GpuSpec& gpu) const;
  [[nodiscard]] std::string unknown_model(const std::string& model) const;

  GpuCatalog gpus_;
  ModelCosts costs_;
  SpeedModel model_;
  std::optional<OwnSpeed> own_;
  std::map<std::string, Calibration, std::less<>> calibrations_;  // by GPU, and by GPU and model
};

}  // namespace tacho
