#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_array.h"
#include "base/names.h"
#include "base/result.h"
#include "predict/speed/layer_roofline.h"
#include "predict/speed/own_residuals.h"

namespace tacho {

// One of Tacho's models, trained by Tacho with its defaults on one GPU.
struct OwnJob {
  std::string model;
  SampleSize size;
  NumberFormat format = NumberFormat::fp32;
  double batch = 1;
};

struct OwnExample {
  OwnJob job;
  std::string gpu;
  std::vector<double> seconds;  // of each repetition
};

// What no measured run has in common with a job. Each has its own intervals.
enum class OwnNovelty : std::uint8_t { batch, format, model };
inline constexpr std::size_t kOwnNovelties = 3;
inline constexpr Names<OwnNovelty, kOwnNovelties> kOwnNoveltyNames{
    "novelty",
    {{{OwnNovelty::batch, "batch"}, {OwnNovelty::format, "format"}, {OwnNovelty::model, "model"}}}};

// Everything that is learned from runs and published figures.
struct OwnFit {
  RooflineRates rates;
  std::vector<Residual> residuals;
  CommonTerms terms;
  // Factors for the deviations, so that 90 % of the held-out runs are within.
  EnumArray<OwnNovelty, double, kOwnNovelties> stretch{{1, 1, 1}};
  double gpu_spread = 0;     // deviation on a different GPU
  std::string measured_gpu;  // of the residuals
};

struct OwnStep {
  RooflineParts parts;  // add up to the step
  double reach = 0;     // half width of the 90 % interval, in logarithms
  OwnNovelty novelty = OwnNovelty::batch;
};

class OwnSpeed {
 public:
  static Result<OwnSpeed> make(OwnLayers layers, const GpuCatalog& gpus, OwnFit fit);

  // The steps of a model with one format. A larger batch never takes less time, nor does a GPU that
  // is slower in nothing take more.
  class Curve {
   public:
    [[nodiscard]] OwnStep at(double batch, const GpuSpec& gpu) const;
    [[nodiscard]] const OwnNetwork& network() const { return network_; }

   private:
    friend class OwnSpeed;
    const OwnSpeed* speed_ = nullptr;
    OwnNetwork network_;
    NumberFormat format_ = NumberFormat::fp32;
    OwnNovelty novelty_ = OwnNovelty::batch;
    std::vector<Posterior> residuals_;  // at the powers of two
  };
  // Must not outlive this object. Costs as much as hundreds of steps of it.
  [[nodiscard]] Result<Curve> curve(const std::string& model, const SampleSize& size,
                                    NumberFormat format) const;
  [[nodiscard]] Result<OwnStep> step(const OwnJob& job, const GpuSpec& gpu) const;

  [[nodiscard]] const OwnFit& fit() const { return fit_; }
  [[nodiscard]] const OwnLayers& layers() const { return layers_; }

 private:
  OwnSpeed(OwnLayers layers, GpuSpec measured, OwnFit fit, OwnResiduals residuals);
  [[nodiscard]] double gpu_deviation(NumberFormat format, const GpuSpec& gpu) const;

  OwnLayers layers_;
  GpuSpec measured_;
  OwnFit fit_;
  OwnResiduals residuals_;
};

// Formats with equal peaks are one: "half", "tf32", "fp32".
std::string_view format_name(NumberFormat format);
Residual residual_at(const OwnJob& job);

// Distance between two GPUs for a step: the largest logarithm of a ratio of their rates.
double gpu_distance(NumberFormat format, const GpuSpec& a, const GpuSpec& b);
// Share of the deviation between different GPUs, 0 to 1.
double gpu_difference(double distance);

// The file data/model/own_speed.json.
std::string own_fit_text(const OwnFit& fit);
Result<OwnFit> read_own_fit(std::string_view text);

}  // namespace tacho
